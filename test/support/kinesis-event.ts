import type { KinesisStreamEvent } from 'aws-lambda';
import type { ConsumedRecord } from '../../lambdas/domain/evidence/consumed-record.ts';

/** Records as Lambda hands them to an archive function, as far as it reads them. */
export function kinesisEvent(records: readonly ConsumedRecord[]): KinesisStreamEvent {
  return {
    Records: records.map(({ position, arrivedAtMillis, data }) => ({
      eventID: `${position.shardId}:${position.sequenceNumber}`,
      kinesis: {
        sequenceNumber: position.sequenceNumber,
        approximateArrivalTimestamp: arrivedAtMillis / 1000,
        data: Buffer.from(data).toString('base64'),
      },
    })),
  } as KinesisStreamEvent;
}
