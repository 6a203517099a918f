import {
  checkpointOf,
  isSettled,
  laneOf,
  resumeFrom,
  type ShardCheckpoint,
} from '../../../../localstack/event-source/checkpoint.ts';
import {
  backlog,
  type Decision,
  decide,
  discard,
  EMPTY_LANE,
  type Lane,
  offer,
  settle,
} from '../../../../localstack/event-source/lane.ts';
import {
  compareSequence,
  type MappingSettings,
  type StreamRecord,
} from '../../../../localstack/event-source/model.ts';
import type { Outcome } from '../../../../localstack/event-source/response.ts';

/** What is simulated: a shard, a function with bad records, and a process that is restarted now and then. */
export interface Scenario {
  readonly records: readonly StreamRecord[];
  readonly settings: MappingSettings;
  readonly poison: ReadonlySet<string>;
  /** `throw`: any poison fails the call. `report`: the first poison is returned as batchItemFailures. */
  readonly mode: 'throw' | 'report';
  /** One for each step, reused in turn: how many records are read, whether the call is throttled, whether it restarts. */
  readonly steps: readonly { read: number; throttled: boolean; restart: boolean }[];
}

/** In the order in which it happened. */
export interface Trace {
  readonly done: StreamRecord[];
  readonly discarded: StreamRecord[];
}

/** A bug that never settles a record must fail a test, not hang it. */
const MAX_STEPS = 20_000;

/** Runs the pure state machine of one shard to the end, with a virtual clock. */
export function simulate(scenario: Scenario): Trace {
  const trace: Trace = { done: [], discarded: [] };
  const laneCount = scenario.settings.parallelizationFactor;
  let saved: ShardCheckpoint | undefined;
  let lanes = emptyLanes(laneCount);
  let resumed: ShardCheckpoint | undefined;
  let readThrough: string | undefined;
  let next = 0;
  let now = 1_000;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { read, throttled, restart } = scenario.steps[step % scenario.steps.length] ?? NO_STEP;
    if (restart) {
      resumed = saved;
      lanes = emptyLanes(laneCount);
      readThrough = undefined;
      next = indexAfterResume(scenario.records, resumed);
    }
    const fresh = scenario.records.slice(next, next + read);
    next += fresh.length;
    readThrough = fresh.at(-1)?.sequenceNumber ?? readThrough;
    lanes = lanes.map((lane, index) => {
      const mine = fresh.filter(
        (one) =>
          laneOf(one, laneCount) === index &&
          !isSettled(resumed, index, laneCount, one.sequenceNumber),
      );
      return offer(lane, mine, now);
    });
    const index = step % laneCount;
    lanes[index] = advance(lanes[index] ?? EMPTY_LANE, scenario, throttled, now, trace);
    if (readThrough !== undefined) saved = checkpointOf(lanes, readThrough, false);
    now += 5_000;
    const isRead = next >= scenario.records.length;
    if (isRead && lanes.every((lane) => backlog(lane) === 0)) return trace;
  }
  throw new Error('the shard was never drained');
}

const NO_STEP = { read: 10, throttled: false, restart: false };

function emptyLanes(count: number): Lane[] {
  return Array.from({ length: count }, () => EMPTY_LANE);
}

function indexAfterResume(
  records: readonly StreamRecord[],
  resumed: ShardCheckpoint | undefined,
): number {
  const from = resumeFrom(resumed);
  if (from === undefined) return 0;
  const floor = from.kind === 'at' ? 0 : 1;
  const index = records.findIndex(
    (one) => compareSequence(one.sequenceNumber, from.sequenceNumber) >= floor,
  );
  return index === -1 ? records.length : index;
}

function advance(
  lane: Lane,
  scenario: Scenario,
  throttled: boolean,
  now: number,
  trace: Trace,
): Lane {
  const decision: Decision = decide(lane, scenario.settings, now);
  if (decision.kind === 'discard') {
    trace.discarded.push(...decision.batch.records);
    return discard(decision.lane, decision.batch.records.length);
  }
  if (decision.kind !== 'invoke') return lane;
  const outcome: Outcome = throttled
    ? { kind: 'notInvoked' }
    : call(decision.batch.records, scenario);
  if (outcome.kind === 'success') trace.done.push(...decision.batch.records);
  if (outcome.kind === 'partial') trace.done.push(...decision.batch.records.slice(0, outcome.from));
  return settle(decision.lane, outcome, scenario.settings, now);
}

function call(batch: readonly StreamRecord[], { mode, poison }: Scenario): Outcome {
  const from = batch.findIndex((one) => poison.has(one.sequenceNumber));
  if (from === -1) return { kind: 'success' };
  return mode === 'throw' ? { kind: 'failure' } : { kind: 'partial', from };
}
