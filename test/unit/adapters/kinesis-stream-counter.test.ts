import {
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { KinesisStreamCounter } from '../../../lambdas/adapters/kinesis-stream-counter.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { encodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { head } from '../../support/builders.ts';

const kinesis = mockClient(KinesisClient);
const counter = new KinesisStreamCounter(new KinesisClient({}), { lineage: 'l', traces: 't' });

const FROM = Date.parse('2026-03-04T05:00:00Z');
const TO = FROM + 900_000;
const held = (SequenceNumber: string, atMillis: number, Data = Buffer.from('no head')) => ({
  ...{ SequenceNumber, Data, PartitionKey: 'p' },
  ApproximateArrivalTimestamp: new Date(atMillis),
});
const arrivals = async () => {
  const found = [];
  for await (const arrival of counter.arrivals('traces', 's', FROM, TO)) found.push(arrival);
  return found;
};
const numbers = async () => (await arrivals()).map(({ sequenceNumber }) => sequenceNumber);

beforeEach(() => {
  kinesis.reset();
  kinesis.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i' });
});

describe('KinesisStreamCounter', () => {
  it('reads past empty pages up to the tip', async () => {
    kinesis
      .on(GetRecordsCommand)
      .resolvesOnce({ Records: [], NextShardIterator: 'j', MillisBehindLatest: 5_000 })
      .resolvesOnce({
        Records: [held('10', FROM)],
        NextShardIterator: 'k',
        MillisBehindLatest: 0,
      })
      .resolvesOnce({ Records: [held('12', FROM + 1)], NextShardIterator: 'l' })
      .resolvesOnce({ Records: [], NextShardIterator: 'm', MillisBehindLatest: 0 });
    expect(await numbers()).toEqual(['10', '12']);
    expect(kinesis.commandCalls(GetShardIteratorCommand)[0]?.args[0].input).toMatchObject({
      ...{ StreamName: 't', ShardId: 's', ShardIteratorType: 'AT_TIMESTAMP' },
    });
    expect(kinesis.commandCalls(GetRecordsCommand)).toHaveLength(4);
  });

  it('reads a closed shard to its end', async () => {
    kinesis.on(GetRecordsCommand).resolves({ Records: [held('10', FROM)] });
    expect(await numbers()).toEqual(['10']);
  });

  it('picks the interval out of arrivals that are not quite in order, and stops behind it', async () => {
    kinesis.on(GetRecordsCommand).resolves({
      Records: [
        held('1', FROM - 1),
        held('2', FROM),
        held('3', FROM - 2),
        held('4', TO),
        held('5', TO - 1),
        held('6', TO + 60_000),
      ],
      NextShardIterator: 'j',
    });
    expect(await numbers()).toEqual(['2', '5']);
    expect(kinesis.commandCalls(GetRecordsCommand)).toHaveLength(1);
    const { Timestamp } = kinesis.commandCalls(GetShardIteratorCommand)[0]?.args[0].input ?? {};
    expect(Timestamp?.getTime()).toBeLessThan(FROM);
  });

  it('says by what acceptance a record is filed: its own, or its arrival where that is unknown', async () => {
    const acceptedAt = '2025-12-31T23:59:59.999Z';
    const data = encodeStreamRecord({ head: head({ acceptedAt }), body: Buffer.from('{}') });
    kinesis
      .on(GetRecordsCommand)
      .resolves({ Records: [held('1', FROM, Buffer.from(data)), held('2', FROM)] });
    expect((await arrivals()).map((arrival) => arrival.acceptedAt)).toEqual([
      acceptedAt,
      new Date(FROM).toISOString(),
    ]);
  });

  it('never takes silence for the end', async () => {
    kinesis
      .on(GetRecordsCommand)
      .resolves({ Records: [], NextShardIterator: 'i', MillisBehindLatest: 1 });
    await expect(numbers()).rejects.toThrow(UnavailableError);
  });

  it.each([GetShardIteratorCommand, GetRecordsCommand])(
    'is unavailable on any error, also where a shard is gone (%#)',
    async (command) => {
      kinesis.on(command as typeof GetRecordsCommand).rejects(new Error('canary-7f3e9d01'));
      await expect(numbers()).rejects.toThrow(UnavailableError);
    },
  );

  it('lists every page of shards', async () => {
    kinesis
      .on(ListShardsCommand, { StreamName: 'l' })
      .resolves({ Shards: [{ ShardId: 'a' } as never], NextToken: 'more' })
      .on(ListShardsCommand, { NextToken: 'more' }, true)
      .resolves({ Shards: [{ ShardId: 'b' } as never] });
    expect(await counter.shards('lineage')).toEqual(['a', 'b']);
    kinesis.on(ListShardsCommand).rejects(new Error('x'));
    await expect(counter.shards('lineage')).rejects.toThrow(UnavailableError);
  });

  it('knows how long the stream keeps', async () => {
    kinesis
      .on(DescribeStreamSummaryCommand, { StreamName: 't' })
      .resolves({ StreamDescriptionSummary: { RetentionPeriodHours: 24 } as never });
    expect(await counter.retentionMillis('traces')).toBe(86_400_000);
    kinesis.on(DescribeStreamSummaryCommand).rejects(new Error('x'));
    await expect(counter.retentionMillis('traces')).rejects.toThrow(UnavailableError);
  });
});
