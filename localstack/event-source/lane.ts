import { countExpired, countFitting } from './batching.ts';
import type { MappingSettings, StreamRecord } from './model.ts';
import type { Outcome } from './response.ts';

/** Records that are sent to the function together, and what was tried with them. */
export interface Batch {
  readonly records: readonly StreamRecord[];
  /** Failures that count against the retries. */
  readonly failures: number;
  readonly invocations: number;
  /** Invocations in a row that never reached the function; only paces the next try. */
  readonly refusals: number;
  /** Epoch milliseconds before which it is not tried again. */
  readonly notBefore: number;
}

/** One ordered line of records of a shard: batches that were cut (the first is worked on) and records that still gather. */
export interface Lane {
  readonly batches: readonly Batch[];
  readonly gathering: readonly StreamRecord[];
  /** When the batching window of the gathering records began, epoch milliseconds. */
  readonly windowBegan: number;
}

/** Why records were given up, in the words of AWS. */
export type DiscardCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** What to do next with a lane. Carry it out, then call `settle` or `discard` on the lane it names. */
export type Decision =
  | { readonly kind: 'idle' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'invoke'; readonly lane: Lane; readonly batch: Batch }
  | {
      readonly kind: 'discard';
      readonly lane: Lane;
      readonly batch: Batch;
      readonly condition: DiscardCondition;
    };

export const EMPTY_LANE: Lane = { batches: [], gathering: [], windowBegan: 0 };

/** AWS does not document its pauses; short ones keep local runs quick, the cap keeps a dead function from being hammered. */
const FIRST_PAUSE_MILLIS = 100;
const LONGEST_PAUSE_MILLIS = 5_000;

/** Adds records behind those a lane has. */
export function offer(lane: Lane, records: readonly StreamRecord[], now: number): Lane {
  if (records.length === 0) return lane;
  const windowBegan = lane.gathering.length === 0 ? now : lane.windowBegan;
  return { ...lane, gathering: [...lane.gathering, ...records], windowBegan };
}

/** Decides what happens next in a lane. Pure: the same lane and time give the same answer. */
export function decide(lane: Lane, settings: MappingSettings, now: number): Decision {
  const head = lane.batches[0];
  if (head === undefined) return cut(lane, settings, now);
  const expired = countExpired(head.records, settings, now);
  if (expired > 0) {
    const batch = { ...head, records: head.records.slice(0, expired) };
    return { kind: 'discard', lane, batch, condition: 'RecordAgeExceeded' };
  }
  if (settings.maximumRetryAttempts >= 0 && head.failures > settings.maximumRetryAttempts) {
    return { kind: 'discard', lane, batch: head, condition: 'RetryAttemptsExhausted' };
  }
  if (head.notBefore > now) return { kind: 'wait', until: head.notBefore };
  return { kind: 'invoke', lane, batch: head };
}

/** Applies the outcome of invoking the lane's first batch. */
export function settle(lane: Lane, outcome: Outcome, settings: MappingSettings, now: number): Lane {
  const [head, ...others] = lane.batches;
  if (head === undefined) return lane;
  const tried = { ...head, invocations: head.invocations + 1, refusals: 0 };
  switch (outcome.kind) {
    case 'success':
      return { ...lane, batches: others };
    case 'notInvoked': {
      const refusals = head.refusals + 1;
      const waiting = { ...head, refusals, notBefore: now + pauseMillis(refusals) };
      return { ...lane, batches: [waiting, ...others] };
    }
    case 'failure':
      return { ...lane, batches: [...afterFailure(tried, settings, now), ...others] };
    case 'partial': {
      if (outcome.from === 0) {
        return { ...lane, batches: [...afterFailure(tried, settings, now), ...others] };
      }
      const rest = { ...tried, records: head.records.slice(outcome.from) };
      // With bisect on, AWS splits at the returned number, and a split does not use up a retry.
      const next = settings.bisectOnError ? rest : countFailure(rest, now);
      return { ...lane, batches: [next, ...others] };
    }
  }
}

/** Drops the first records of the first batch, after the on-failure destination has their numbers. */
export function discard(lane: Lane, count: number): Lane {
  const [head, ...others] = lane.batches;
  if (head === undefined) return lane;
  const records = head.records.slice(count);
  return { ...lane, batches: records.length === 0 ? others : [{ ...head, records }, ...others] };
}

/** The first record of a lane that is neither processed nor discarded. */
export function firstPending(lane: Lane): StreamRecord | undefined {
  return lane.batches[0]?.records[0] ?? lane.gathering[0];
}

/** Records that a lane holds. */
export function backlog(lane: Lane): number {
  return lane.batches.reduce((sum, batch) => sum + batch.records.length, lane.gathering.length);
}

/** Cuts a batch when it is full or its window is over. */
function cut(lane: Lane, settings: MappingSettings, now: number): Decision {
  if (lane.gathering.length === 0) return { kind: 'idle' };
  const fitting = countFitting(lane.gathering, settings.batchSize);
  const isFull = fitting === settings.batchSize || fitting < lane.gathering.length;
  const windowEnds = lane.windowBegan + settings.windowMillis;
  if (!isFull && now < windowEnds) return { kind: 'wait', until: windowEnds };
  const records = lane.gathering.slice(0, fitting);
  const batch = { records, failures: 0, invocations: 0, refusals: 0, notBefore: 0 };
  const gathering = lane.gathering.slice(fitting);
  return decide({ batches: [batch], gathering, windowBegan: now }, settings, now);
}

/** AWS: bisecting does not use up a retry, so retries count once a record is alone. */
function afterFailure(batch: Batch, settings: MappingSettings, now: number): readonly Batch[] {
  if (!settings.bisectOnError || batch.records.length === 1) return [countFailure(batch, now)];
  const middle = Math.ceil(batch.records.length / 2);
  return [
    { ...batch, records: batch.records.slice(0, middle) },
    { ...batch, records: batch.records.slice(middle) },
  ];
}

function countFailure(batch: Batch, now: number): Batch {
  const failures = batch.failures + 1;
  return { ...batch, failures, notBefore: now + pauseMillis(failures) };
}

function pauseMillis(tries: number): number {
  return Math.min(FIRST_PAUSE_MILLIS * 2 ** (tries - 1), LONGEST_PAUSE_MILLIS);
}
