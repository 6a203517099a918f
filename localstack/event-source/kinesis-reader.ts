import {
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  ResourceNotFoundException,
  type ShardIteratorType,
} from '@aws-sdk/client-kinesis';
import type { StreamRecord } from './model.ts';
import type { ReadPosition, StreamReader } from './ports.ts';
import type { Shard } from './shards.ts';

/** When a stream was made, epoch milliseconds: it tells a stream from an earlier one of the same name. */
export async function streamCreatedAt(kinesis: KinesisClient, arn: string): Promise<number> {
  const answer = await kinesis.send(new DescribeStreamSummaryCommand({ StreamARN: arn }));
  return answer.StreamDescriptionSummary?.StreamCreationTimestamp?.getTime() ?? 0;
}

/** Reads a stream through the SDK. */
export function kinesisReader(kinesis: KinesisClient, streamArn: string): StreamReader {
  return {
    listShards: async () => {
      const shards: Shard[] = [];
      let token: string | undefined;
      do {
        const page = await kinesis.send(
          // Name and token exclude each other.
          new ListShardsCommand(token ? { NextToken: token } : { StreamARN: streamArn }),
        );
        for (const shard of page.Shards ?? []) {
          const parents = [shard.ParentShardId, shard.AdjacentParentShardId];
          shards.push({
            shardId: shard.ShardId ?? '',
            parents: parents.filter((parent): parent is string => Boolean(parent)),
          });
        }
        token = page.NextToken;
      } while (token);
      return shards;
    },
    read: async (shardId, from, limit) => {
      try {
        // A new iterator each time: it cannot expire, and the emulator's old ones shift when records age out.
        const iterator = await kinesis.send(
          new GetShardIteratorCommand({
            StreamARN: streamArn,
            ShardId: shardId,
            ...position(from),
          }),
        );
        const answer = await kinesis.send(
          new GetRecordsCommand({ ShardIterator: iterator.ShardIterator, Limit: limit }),
        );
        const closed = !answer.NextShardIterator;
        return { records: (answer.Records ?? []).map(toRecord), closed };
      } catch (error) {
        // The emulator removes a parent when it is split or merged.
        if (error instanceof ResourceNotFoundException) return { records: [], closed: true };
        throw error;
      }
    },
  };
}

function position(from: ReadPosition): {
  ShardIteratorType: ShardIteratorType;
  StartingSequenceNumber?: string;
  Timestamp?: Date;
} {
  switch (from.kind) {
    case 'at':
      return {
        ShardIteratorType: 'AT_SEQUENCE_NUMBER',
        StartingSequenceNumber: from.sequenceNumber,
      };
    case 'after':
      return {
        ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
        StartingSequenceNumber: from.sequenceNumber,
      };
    case 'AT_TIMESTAMP':
      return { ShardIteratorType: 'AT_TIMESTAMP', Timestamp: new Date(from.timestamp) };
    case 'TRIM_HORIZON':
      return { ShardIteratorType: 'TRIM_HORIZON' };
  }
}

function toRecord(record: {
  SequenceNumber?: string | undefined;
  PartitionKey?: string | undefined;
  Data?: Uint8Array | undefined;
  ApproximateArrivalTimestamp?: Date | undefined;
}): StreamRecord {
  return {
    sequenceNumber: record.SequenceNumber ?? '',
    partitionKey: record.PartitionKey ?? '',
    data: Buffer.from(record.Data ?? []).toString('base64'),
    arrivedAt: record.ApproximateArrivalTimestamp?.getTime() ?? 0,
  };
}
