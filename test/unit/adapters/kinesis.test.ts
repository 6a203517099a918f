import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  InvalidArgumentException,
  KinesisClient,
  PutRecordsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-kinesis';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { KinesisPublisher } from '../../../lambdas/adapters/kinesis-publisher.ts';
import { KinesisStreamReader } from '../../../lambdas/adapters/kinesis-stream-reader.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';

const kinesis = mockClient(KinesisClient);
const record = (n: number, bytes = 10) => ({
  partitionKey: `key-${n}`,
  data: new Uint8Array(bytes),
});
const sent = () =>
  kinesis
    .commandCalls(PutRecordsCommand)
    .map(({ args }) => (args[0].input.Records ?? []).map(({ PartitionKey }) => PartitionKey));

beforeEach(() => kinesis.reset());

/** Answers like Kinesis: the records whose key is refused are not taken, `times` times each. */
function refusing(refused: Record<string, number>) {
  const left = new Map(Object.entries(refused));
  kinesis
    .on(PutRecordsCommand)
    .callsFake(({ Records }: { Records: Array<{ PartitionKey: string }> }) => ({
      Records: Records.map(({ PartitionKey }) => {
        const times = left.get(PartitionKey) ?? 0;
        left.set(PartitionKey, times - 1);
        return times > 0
          ? { ErrorCode: 'ProvisionedThroughputExceededException' }
          : { SequenceNumber: '1' };
      }),
    }));
}

describe('KinesisPublisher', () => {
  const publisher = new KinesisPublisher(new KinesisClient({}), 'stream', Date.now);

  it('answers in order which records the stream acknowledged', async () => {
    refusing({ 'key-1': 99 });
    expect(await publisher.publish([record(0), record(1), record(2)])).toEqual([true, false, true]);
  });

  it('sends only the refused records again', async () => {
    refusing({ 'key-1': 1, 'key-2': 2 });
    expect(await publisher.publish([record(0), record(1), record(2)])).toEqual([true, true, true]);
    expect(sent()).toEqual([['key-0', 'key-1', 'key-2'], ['key-1', 'key-2'], ['key-2']]);
  });

  it('is unavailable when the stream takes none, and hides why', async () => {
    kinesis.on(PutRecordsCommand).rejects(new Error('canary-7f3e9d01'));
    const thrown = await publisher.publish([record(0)]).catch((error: Error) => error);
    expect(thrown).toBeInstanceOf(UnavailableError);
    expect((thrown as Error).message).not.toContain('canary');
    expect(sent()).toHaveLength(3);
  });

  it('sends what a failed call held again', async () => {
    kinesis
      .on(PutRecordsCommand)
      .rejectsOnce(new Error('x'))
      .resolves({ Records: [{ SequenceNumber: '1' }] });
    expect(await publisher.publish([record(0)])).toEqual([true]);
  });

  it('stays below the limits of one call', async () => {
    refusing({});
    await publisher.publish(Array.from({ length: 1_001 }, (_, n) => record(n)));
    expect(sent().map((keys) => keys.length)).toEqual([500, 500, 1]);
    kinesis.resetHistory();
    await publisher.publish(Array.from({ length: 9 }, (_, n) => record(n, 1_000_000)));
    expect(sent().map((keys) => keys.length)).toEqual([4, 4, 1]);
  });

  it('calls nobody for nothing', async () => {
    expect(await publisher.publish([])).toEqual([]);
    expect(sent()).toEqual([]);
  });
});

describe('KinesisStreamReader', () => {
  const reader = new KinesisStreamReader(new KinesisClient({}), { lineage: 'l', traces: 't' });
  const batch = {
    plane: 'traces',
    shardId: 's',
    startSequenceNumber: '10',
    endSequenceNumber: '12',
    firstArrivedAt: '',
  } as const;
  const held = (...numbers: string[]) =>
    numbers.map((SequenceNumber) => ({
      SequenceNumber,
      Data: Buffer.from(SequenceNumber),
      PartitionKey: 'p',
      ApproximateArrivalTimestamp: new Date(5),
    }));
  const read = async (of: Parameters<typeof reader.readRange>[0] = batch) => {
    const found = [];
    for await (const { position } of reader.readRange(of)) found.push(position.sequenceNumber);
    return found;
  };

  it('reads exactly the range, over pages, and not one call more', async () => {
    kinesis.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i' });
    kinesis
      .on(GetRecordsCommand)
      .resolvesOnce({ Records: held('10'), NextShardIterator: 'j' })
      .resolvesOnce({ Records: [], NextShardIterator: 'k' })
      .resolvesOnce({ Records: held('11', '12', '13'), NextShardIterator: 'l' });
    expect(await read()).toEqual(['10', '11', '12']);
    expect(kinesis.commandCalls(GetShardIteratorCommand)[0]?.args[0].input).toEqual({
      ...{ StreamName: 't', ShardId: 's' },
      ...{ ShardIteratorType: 'AT_SEQUENCE_NUMBER', StartingSequenceNumber: '10' },
    });
    expect(kinesis.commandCalls(GetRecordsCommand)).toHaveLength(3);
  });

  it('compares sequence numbers as numbers of any length', async () => {
    kinesis.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i' });
    kinesis.on(GetRecordsCommand).resolves({
      Records: held('9', '49590338271490256608559692538361571095921575989136588898'),
      NextShardIterator: 'i',
    });
    expect(await read({ ...batch, startSequenceNumber: '9', endSequenceNumber: '10' })).toEqual([
      '9',
    ]);
  });

  it('ends on a shard that has nothing more', async () => {
    kinesis.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i' });
    kinesis.on(GetRecordsCommand).resolves({ Records: [], NextShardIterator: 'i' });
    expect(await read()).toEqual([]);
    expect(kinesis.commandCalls(GetRecordsCommand).length).toBeLessThan(100);
  });

  it.each([InvalidArgumentException, ResourceNotFoundException])(
    'reads nothing of what the stream has let go (%#)',
    async (Gone) => {
      kinesis.on(GetShardIteratorCommand).rejects(new Gone({ message: 'm', $metadata: {} }));
      expect(await read()).toEqual([]);
    },
  );

  it('is unavailable on any other error, so that nothing is taken for gone', async () => {
    kinesis
      .on(GetShardIteratorCommand)
      .rejectsOnce(new Error('x'))
      .resolves({ ShardIterator: 'i' });
    kinesis.on(GetRecordsCommand).rejects(new Error('x'));
    await expect(read()).rejects.toThrow(UnavailableError);
    await expect(read()).rejects.toThrow(UnavailableError);
  });
});
