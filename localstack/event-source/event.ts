import type { Mapping, StreamRecord } from './model.ts';

/** The event that Lambda sends for a batch of one shard, in the documented shape. */
export function kinesisEvent(
  mapping: Mapping,
  shardId: string,
  records: readonly StreamRecord[],
  roleArn: string,
) {
  const [, , , region = ''] = mapping.streamArn.split(':');
  return {
    Records: records.map((record) => ({
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey: record.partitionKey,
        sequenceNumber: record.sequenceNumber,
        data: record.data,
        // Seconds with a fraction, unlike the milliseconds everywhere else.
        approximateArrivalTimestamp: record.arrivedAt / 1_000,
      },
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: `${shardId}:${record.sequenceNumber}`,
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: roleArn,
      awsRegion: region,
      eventSourceARN: mapping.streamArn,
    })),
  };
}
