import { isSettled, laneOf, resumeFrom } from './checkpoint.ts';
import { backlog, offer } from './lane.ts';
import type { Mapping, StreamRecord } from './model.ts';
import type { ReadPosition } from './ports.ts';
import { IDLE_MILLIS, nameOf, RETRY_MILLIS, type ShardRun } from './shard-run.ts';

/** AWS polls once a second; twice keeps local answers quick and the emulator idle. */
const POLL_MILLIS = 500;
/** GetRecords' own limit. */
const MAX_READ_RECORDS = 10_000;

/** Reads a shard and hands its records to the lanes, never far ahead of them. */
export async function readLoop(run: ShardRun, firstLook: number): Promise<void> {
  const { batchSize, parallelizationFactor } = run.mapping.settings;
  // Two batches a lane ahead keep the function busy and the memory small.
  const ahead = 2 * batchSize * parallelizationFactor;
  let from = resumeFrom(run.resumed) ?? begin(run.mapping, firstLook);
  while (!run.isDone() && !run.closed) {
    const held = run.lanes.reduce((sum, lane) => sum + backlog(lane), 0);
    if (held >= ahead) {
      await run.wake.sleep(IDLE_MILLIS);
      continue;
    }
    try {
      const limit = Math.min(ahead - held, MAX_READ_RECORDS);
      const { records, closed } = await run.ports.reader.read(run.shardId, from, limit);
      const last = records.at(-1);
      if (last !== undefined) from = { kind: 'after', sequenceNumber: last.sequenceNumber };
      give(run, records);
      run.closed = closed;
      run.wake.nudge();
      if (last === undefined && !closed) await run.wake.pause(POLL_MILLIS);
    } catch (error) {
      run.ports.log(`${run.shardId}: reading failed: ${nameOf(error)}`);
      await run.wake.pause(RETRY_MILLIS);
    }
  }
}

/** LATEST is the moment of the first look, also for shards that appear later: resharding must not skip records. */
function begin(mapping: Mapping, firstLook: number): ReadPosition {
  const position = mapping.startingPosition;
  return position.kind === 'LATEST' ? { kind: 'AT_TIMESTAMP', timestamp: firstLook } : position;
}

function give(run: ShardRun, records: readonly StreamRecord[]): void {
  const count = run.lanes.length;
  const now = run.ports.now();
  run.lanes.forEach((lane, index) => {
    const isNew = (record: StreamRecord) =>
      laneOf(record, count) === index &&
      !isSettled(run.resumed, index, count, record.sequenceNumber);
    run.lanes[index] = offer(lane, records.filter(isNew), now);
  });
  run.readThrough = records.at(-1)?.sequenceNumber ?? run.readThrough;
}
