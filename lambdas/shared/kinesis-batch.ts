import type { KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda';
import type { ArchiveOutcome } from '../domain/evidence/archive-records.ts';
import type { ConsumedRecord } from '../domain/evidence/consumed-record.ts';

/** Records of an invocation with their stream position; `eventID` is `<shard id>:<sequence number>`. */
export function toConsumedRecords({ Records }: KinesisStreamEvent): ConsumedRecord[] {
  return Records.map(({ eventID, kinesis }) => ({
    position: {
      shardId: eventID.slice(0, eventID.indexOf(':')),
      sequenceNumber: kinesis.sequenceNumber,
    },
    arrivedAtMillis: Math.round(kinesis.approximateArrivalTimestamp * 1000),
    data: Buffer.from(kinesis.data, 'base64'),
  }));
}

/** Every failure is named; Lambda goes back to the lowest sequence number among them. */
export function toBatchResponse({ failures }: ArchiveOutcome): KinesisStreamBatchResponse {
  return { batchItemFailures: [...failures.keys()].map((itemIdentifier) => ({ itemIdentifier })) };
}
