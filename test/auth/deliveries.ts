import { randomUUID } from 'node:crypto';
import type { ConsumedRecord } from '../../lambdas/domain/evidence/consumed-record.ts';
import { encodeStreamRecord } from '../../lambdas/domain/evidence/stream-record.ts';

let last = Date.now() * 1_000;

/** A record as an archive function consumes it, of a body that a demo producer sent. */
export function delivered(
  body: unknown,
  plane: 'lineage' | 'traces' = 'lineage',
  shardId?: string,
): ConsumedRecord {
  return consumed(recordOf(body, plane), shardId);
}

/** A record that nobody can read. */
export const poison = (): ConsumedRecord => consumed(Buffer.from(`no head ${randomUUID()}`));

/** Bytes for a stream. */
export function recordOf(body: unknown, plane: 'lineage' | 'traces'): Uint8Array {
  const id = randomUUID();
  return encodeStreamRecord({
    head: {
      receiptId: `test-${id}`,
      acceptedAt: new Date().toISOString(),
      submitter: { producerId: `demo-${plane}`, group: 'demo' },
      retentionClass: 'standard',
      received: { epoch: 0, hmac: id },
      deviations: [],
    },
    body: Buffer.from(JSON.stringify(body)),
  });
}

function consumed(data: Uint8Array, shardId = 'shardId-000000000000'): ConsumedRecord {
  return {
    position: { shardId, sequenceNumber: String(++last) },
    arrivedAtMillis: Date.now(),
    data: Buffer.from(data),
  };
}
