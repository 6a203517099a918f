import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ConsumedRecord } from '../lambdas/domain/evidence/consumed-record.ts';
import type { Envelope } from '../lambdas/domain/evidence/envelope.ts';
import { encodeStreamRecord } from '../lambdas/domain/evidence/stream-record.ts';
import { prepareEvent } from '../lambdas/domain/openlineage/prepare-event.ts';
import { STRICT } from '../lambdas/domain/redaction/policy.ts';

/** As an archive function has it. */
export const REDACTION = { policy: STRICT, key: { epoch: 0, secret: Buffer.alloc(32) } };

const ACCEPTED_AT_MILLIS = Date.parse('2026-11-29T10:00:00.000Z');

/** The least that any archive has to do with a batch of event bodies. */
export function floorOfBatch(batch: readonly Buffer[]) {
  for (const body of batch) {
    JSON.parse(body.toString());
    createHash('sha256').update(body).digest('hex');
  }
  return gzipSync(Buffer.concat(batch));
}

/** The stream record that ingest would have written for a body. */
export function toRecord(body: Buffer, index: number): ConsumedRecord {
  const head = {
    receiptId: `r0_${String(index).padStart(32, '0')}_${'0'.repeat(32)}`,
    acceptedAt: new Date(ACCEPTED_AT_MILLIS + index).toISOString(),
    submitter: { producerId: 'bench', group: 'bench' },
    retentionClass: 'standard',
    received: { epoch: 0, hmac: createHash('sha256').update(body).digest('hex') },
    deviations: [],
  };
  return {
    position: { shardId: 'shardId-000000000000', sequenceNumber: String(index) },
    arrivedAtMillis: ACCEPTED_AT_MILLIS + index,
    data: encodeStreamRecord({ head, body }),
  };
}

/** The envelopes of stream records; the recording holds none that is quarantined. */
export function prepareBatch(batch: readonly ConsumedRecord[]): Envelope[] {
  return batch.flatMap((record) => {
    const prepared = prepareEvent(record, REDACTION);
    if ('quarantined' in prepared) throw new Error(prepared.quarantined.reason);
    return prepared.envelopes;
  });
}
