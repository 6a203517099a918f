import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CheckpointStore } from '../../../../localstack/event-source/checkpoint-store.ts';
import type { Discarded } from '../../../../localstack/event-source/failure-message.ts';
import { runMapping } from '../../../../localstack/event-source/mapping-loop.ts';
import type { Mapping, StreamRecord } from '../../../../localstack/event-source/model.ts';
import type { Invoke, Ports } from '../../../../localstack/event-source/ports.ts';
import { FakeStream } from './fake-stream.ts';
import { MAPPING, memoryCheckpoints, numberOf, record, records, SETTINGS } from './support.ts';

const SUCCESS = { outcome: { kind: 'success' } } as const;
const FAILED = {
  outcome: { kind: 'failure' },
  answer: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
} as const;

describe('runMapping', () => {
  let stream: FakeStream;
  let checkpoints: CheckpointStore;
  let processed: { shardId: string; record: StreamRecord }[];
  let discarded: Discarded[];

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    stream = new FakeStream();
    checkpoints = memoryCheckpoints();
    processed = [];
    discarded = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const work: Invoke = async (_mapping, shardId, batch) => {
    processed.push(...batch.map((one) => ({ shardId, record: one })));
    return SUCCESS;
  };

  /** Runs for a while of virtual time, then ends it as a SIGTERM does. */
  async function runFor(
    millis: number,
    overrides: Partial<Ports> = {},
    mapping: Mapping = MAPPING,
  ) {
    const end = new AbortController();
    const ports: Ports = {
      reader: stream,
      invoke: work,
      sendDiscarded: async (one) => void discarded.push(one),
      now: () => Date.now(),
      log: () => {},
      ...overrides,
    };
    const done = runMapping(ports, mapping, checkpoints, end.signal);
    await vi.advanceTimersByTimeAsync(millis);
    end.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    await done;
  }
  const numbers = (shardId?: string) =>
    processed
      .filter((one) => shardId === undefined || one.shardId === shardId)
      .map((one) => numberOf(one.record));

  it('processes every shard from its beginning, each in order', async () => {
    stream.addShard('shard-0');
    stream.addShard('shard-1');
    stream.put('shard-0', ...records(45));
    stream.put('shard-1', ...records(7));
    await runFor(5_000);
    expect(numbers('shard-0')).toEqual(records(45).map(numberOf));
    expect(numbers('shard-1')).toEqual(records(7).map(numberOf));
  });

  it('goes on behind the last settled record after a restart', async () => {
    stream.addShard('shard-0');
    stream.put('shard-0', ...records(25));
    await runFor(5_000);
    stream.put('shard-0', record(25), record(26));
    await runFor(5_000);
    expect(numbers()).toEqual(records(27).map(numberOf));
  });

  it('waits for a running invocation when it is ended and does not repeat it', async () => {
    stream.addShard('shard-0');
    stream.put('shard-0', ...records(5));
    const slow: Invoke = async (...call) => {
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      return work(...call);
    };
    await runFor(3_000, { invoke: slow });
    await runFor(3_000);
    expect(numbers()).toEqual([0, 1, 2, 3, 4]);
  });

  it('reads a child shard only after its parent is processed, and from its beginning', async () => {
    const mapping: Mapping = { ...MAPPING, startingPosition: { kind: 'LATEST' } };
    stream.addShard('parent');
    const later = (n: number) => record(n, 'key', 1_001_000);
    stream.put('parent', later(0), later(1));
    stream.addShard('child', ['parent']);
    stream.put('child', later(2), later(3));
    let isBroken = true;
    setTimeout(() => {
      isBroken = false;
    }, 20_000);
    const invoke: Invoke = async (...call) =>
      isBroken && call[1] === 'parent' ? { outcome: { kind: 'notInvoked' } } : work(...call);
    await runFor(19_000, { invoke }, mapping);
    expect(numbers()).toEqual([]);
    await runFor(60_000, { invoke }, mapping);
    expect(numbers()).toEqual([0, 1, 2, 3]);
  });

  it('does not wait for a parent that the stream no longer lists', async () => {
    stream.addShard('child');
    stream.put('child', record(0));
    const listShards = async () => [{ shardId: 'child', parents: ['forgotten'] }];
    const reader = { listShards, read: stream.read.bind(stream) };
    await runFor(5_000, { reader });
    expect(numbers()).toEqual([0]);
  });

  it('begins at LATEST with what arrives after the first look', async () => {
    const mapping: Mapping = { ...MAPPING, startingPosition: { kind: 'LATEST' } };
    stream.addShard('shard-0');
    stream.put('shard-0', record(0, 'a', 999_000));
    setTimeout(() => stream.put('shard-0', record(1, 'a', 1_002_000)), 2_000);
    await runFor(5_000, {}, mapping);
    expect(numbers()).toEqual([1]);
  });

  it('reports a record that keeps failing and goes on with its neighbours', async () => {
    stream.addShard('shard-0');
    stream.put('shard-0', ...records(10));
    const invoke: Invoke = async (...call) =>
      call[2].some((one) => numberOf(one) === 4) ? FAILED : work(...call);
    await runFor(30_000, { invoke });
    expect(numbers().toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9]);
    expect(discarded).toHaveLength(1);
    expect(discarded[0]).toMatchObject({
      shardId: 'shard-0',
      condition: 'RetryAttemptsExhausted',
      lastAnswer: { functionError: 'Unhandled' },
      batch: { records: [record(4)] },
    });
  });

  it('keeps a discarded record until its destination took it', async () => {
    stream.addShard('shard-0');
    stream.put('shard-0', record(0));
    const mapping = { ...MAPPING, settings: { ...SETTINGS, maximumRecordAgeSeconds: 60 } };
    let refusals = 3;
    const sendDiscarded = async (one: Discarded) => {
      refusals -= 1;
      if (refusals >= 0) throw new Error('no queue');
      discarded.push(one);
    };
    await runFor(1_500, { sendDiscarded }, mapping);
    expect(discarded).toEqual([]);
    await runFor(10_000, { sendDiscarded }, mapping);
    expect(discarded).toMatchObject([
      { condition: 'RecordAgeExceeded', batch: { invocations: 0 } },
    ]);
    expect(discarded[0]).not.toHaveProperty('lastAnswer');
    expect(processed).toEqual([]);
  });

  it('runs keys side by side with a parallelization factor, each key in order', async () => {
    const mapping = { ...MAPPING, settings: { ...SETTINGS, parallelizationFactor: 4 } };
    stream.addShard('shard-0');
    stream.put('shard-0', ...records(70));
    let running = 0;
    let most = 0;
    const invoke: Invoke = async (...call) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 50));
      running -= 1;
      return work(...call);
    };
    await runFor(20_000, { invoke }, mapping);
    expect(most).toBeGreaterThan(1);
    for (const key of new Set(records(7).map((one) => one.partitionKey))) {
      const ofKey = processed.filter((one) => one.record.partitionKey === key);
      const expected = records(70).filter((one) => one.partitionKey === key);
      expect(ofKey.map((one) => one.record)).toEqual(expected);
    }
  });

  it('reads at most two batches ahead of a function that is stuck', async () => {
    stream.addShard('shard-0');
    stream.put('shard-0', ...records(100));
    let read = 0;
    const reader = {
      listShards: () => stream.listShards(),
      read: async (...call: Parameters<FakeStream['read']>) => {
        const page = await stream.read(...call);
        read += page.records.length;
        return page;
      },
    };
    const invoke: Invoke = async () => ({ outcome: { kind: 'notInvoked' } });
    await runFor(20_000, { reader, invoke });
    expect(read).toBe(20);
  });

  it('goes on when the stream does not answer for a while', async () => {
    stream.addShard('shard-0');
    stream.put('shard-0', record(0));
    let calls = 0;
    const flaky = async <T>(answer: Promise<T>): Promise<T> => {
      calls += 1;
      if (calls <= 4) throw new Error('reset');
      return answer;
    };
    const reader = {
      listShards: () => flaky(stream.listShards()),
      read: (...call: Parameters<FakeStream['read']>) => flaky(stream.read(...call)),
    };
    await runFor(30_000, { reader });
    expect(numbers()).toEqual([0]);
  });
});
