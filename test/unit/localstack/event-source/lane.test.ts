import { describe, expect, it } from 'vitest';
import {
  type Decision,
  decide,
  discard,
  EMPTY_LANE,
  type Lane,
  offer,
  settle,
} from '../../../../localstack/event-source/lane.ts';
import type { MappingSettings } from '../../../../localstack/event-source/model.ts';
import { numberOf, record, records, SETTINGS } from './support.ts';

const NOW = 10_000;
const numbers = (decision: Decision) =>
  decision.kind === 'invoke' || decision.kind === 'discard'
    ? decision.batch.records.map(numberOf)
    : [];

/** Decides, requires an invocation and returns its lane. */
function invoked(lane: Lane, settings: MappingSettings, now = NOW): Lane {
  const decision = decide(lane, settings, now);
  if (decision.kind !== 'invoke') throw new Error(`expected an invocation, got ${decision.kind}`);
  return decision.lane;
}

describe('gathering', () => {
  it('has nothing to do without records', () => {
    expect(decide(EMPTY_LANE, SETTINGS, NOW)).toEqual({ kind: 'idle' });
  });

  it('waits for the window, then sends what there is', () => {
    const settings = { ...SETTINGS, windowMillis: 1_000 };
    const lane = offer(EMPTY_LANE, records(3), NOW);
    expect(decide(lane, settings, NOW + 999)).toEqual({ kind: 'wait', until: NOW + 1_000 });
    expect(numbers(decide(lane, settings, NOW + 1_000))).toEqual([0, 1, 2]);
  });

  it('counts the window from the first record that gathers', () => {
    const settings = { ...SETTINGS, windowMillis: 1_000 };
    const lane = offer(offer(EMPTY_LANE, [record(0)], NOW), [record(1)], NOW + 900);
    expect(decide(lane, settings, NOW + 900)).toEqual({ kind: 'wait', until: NOW + 1_000 });
  });

  it('sends a full batch before the window ends and no more than a batch', () => {
    const lane = offer(EMPTY_LANE, records(12), NOW);
    const decision = decide(lane, { ...SETTINGS, windowMillis: 60_000 }, NOW);
    expect(numbers(decision)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('cuts a batch before 6 MB', () => {
    const large = records(10).map((one) => ({ ...one, data: 'A'.repeat(1_400_000) }));
    const decision = decide(offer(EMPTY_LANE, large, NOW), SETTINGS, NOW);
    expect(decision.kind === 'invoke' && decision.batch.records).toHaveLength(4);
  });
});

describe('failures', () => {
  const full = () => invoked(offer(EMPTY_LANE, records(4), NOW), SETTINGS);

  it('bisects a failed batch without using up a retry', () => {
    const lane = settle(full(), { kind: 'failure' }, SETTINGS, NOW);
    expect(lane.batches.map((batch) => [batch.records.map(numberOf), batch.failures])).toEqual([
      [[0, 1], 0],
      [[2, 3], 0],
    ]);
    expect(decide(lane, SETTINGS, NOW).kind).toBe('invoke');
  });

  it('keeps the batch whole without bisect, counts the retry and pauses longer each time', () => {
    const settings = { ...SETTINGS, bisectOnError: false };
    let lane = full();
    const pauses: number[] = [];
    for (let tries = 1; tries <= 3; tries += 1) {
      lane = settle(lane, { kind: 'failure' }, settings, NOW);
      expect(lane.batches[0]).toMatchObject({ failures: tries, invocations: tries });
      const decision = decide(lane, settings, NOW);
      pauses.push(decision.kind === 'wait' ? decision.until - NOW : 0);
    }
    expect(pauses).toEqual([100, 200, 400]);
  });

  it('gives up after the first try and the configured retries', () => {
    const settings = { ...SETTINGS, bisectOnError: false, maximumRetryAttempts: 2 };
    let lane = full();
    for (let tries = 0; tries < 3; tries += 1) {
      expect(decide(lane, settings, NOW * 9).kind).toBe('invoke');
      lane = settle(lane, { kind: 'failure' }, settings, NOW);
    }
    const decision = decide(lane, settings, NOW);
    expect(decision).toMatchObject({ kind: 'discard', condition: 'RetryAttemptsExhausted' });
    expect(numbers(decision)).toEqual([0, 1, 2, 3]);
    expect(discard(lane, 4).batches).toEqual([]);
  });

  it('never gives up with -1', () => {
    const settings = { ...SETTINGS, bisectOnError: false, maximumRetryAttempts: -1 };
    let lane = full();
    for (let tries = 0; tries < 50; tries += 1) {
      lane = settle(lane, { kind: 'failure' }, settings, NOW);
    }
    expect(decide(lane, settings, NOW * 9).kind).toBe('invoke');
  });

  it('goes on from the checkpoint of a partial failure and takes up nothing before it', () => {
    const lane = settle(full(), { kind: 'partial', from: 2 }, SETTINGS, NOW);
    expect(lane.batches.map((batch) => batch.records.map(numberOf))).toEqual([[2, 3]]);
    expect(lane.batches[0]).toMatchObject({ failures: 0, invocations: 1 });
  });

  it('counts a partial failure as a retry without bisect', () => {
    const settings = { ...SETTINGS, bisectOnError: false };
    const lane = settle(full(), { kind: 'partial', from: 2 }, settings, NOW);
    expect(lane.batches[0]).toMatchObject({ failures: 1 });
  });

  it('treats a failure of the first record as one of the batch', () => {
    const lane = settle(full(), { kind: 'partial', from: 0 }, SETTINGS, NOW);
    expect(lane.batches.map((batch) => batch.records.map(numberOf))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('retries a throttled invocation for ever and counts nothing', () => {
    let lane = full();
    for (let tries = 0; tries < 20; tries += 1) {
      lane = settle(lane, { kind: 'notInvoked' }, SETTINGS, NOW);
    }
    expect(lane.batches[0]).toMatchObject({ failures: 0, invocations: 0, notBefore: NOW + 5_000 });
  });
});

describe('maximum record age', () => {
  const settings = { ...SETTINGS, maximumRecordAgeSeconds: 60 };

  it('discards only the records that are too old, before they are sent', () => {
    const lane = offer(EMPTY_LANE, [record(0, 'a', 0), record(1, 'a', 1), record(2, 'a', 50)], 60);
    const decision = decide(lane, settings, 60_002);
    expect(decision).toMatchObject({ kind: 'discard', condition: 'RecordAgeExceeded' });
    expect(numbers(decision)).toEqual([0, 1]);
    if (decision.kind !== 'discard') return;
    expect(numbers(decide(discard(decision.lane, 2), settings, 60_002))).toEqual([2]);
  });

  it('discards a batch that grew too old while it was retried', () => {
    const sent = invoked(offer(EMPTY_LANE, [record(0, 'a', NOW)], NOW), settings);
    const lane = settle(sent, { kind: 'failure' }, settings, NOW);
    expect(decide(lane, settings, NOW + 60_001)).toMatchObject({ condition: 'RecordAgeExceeded' });
  });
});
