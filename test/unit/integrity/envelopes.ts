import { createEnvelope, type Envelope } from '../../../lambdas/domain/evidence/envelope.ts';
import { head, NOW } from '../../support/builders.ts';

/** The envelope of the record with this sequence number. */
export function envelopeOf(n: number, acceptedAtMillis = NOW): Envelope {
  return createEnvelope({
    head: head({
      receiptId: `receipt-${n}`,
      acceptedAt: new Date(acceptedAtMillis).toISOString(),
    }),
    receivedBytes: 100,
    stream: { shardId: 'shardId-000000000000', sequenceNumber: String(n) },
    kind: 'run',
    redaction: { policy: 'p/1', mode: 'full', fields: [] },
    facts: {} as never,
    deviations: [],
    document: `{"n":${n}}`,
  });
}
