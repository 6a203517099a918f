import { checkpointOf } from './checkpoint.ts';
import type { CheckpointStore } from './checkpoint-store.ts';
import { backlog, EMPTY_LANE } from './lane.ts';
import { laneLoop } from './lane-loop.ts';
import type { Mapping } from './model.ts';
import type { Ports } from './ports.ts';
import { readLoop } from './read-loop.ts';
import type { ShardRun } from './shard-run.ts';
import { createWake } from './wake.ts';

/** Processes one shard until it is drained or the signal ends it; a running invocation is always waited for. */
export async function runShard(
  ports: Ports,
  mapping: Mapping,
  shardId: string,
  checkpoints: CheckpointStore,
  signal: AbortSignal,
): Promise<void> {
  const resumed = checkpoints.load(shardId);
  const laneCount = mapping.settings.parallelizationFactor;
  const run: ShardRun = {
    ports,
    mapping,
    shardId,
    wake: createWake(signal),
    lanes: Array.from({ length: laneCount }, () => EMPTY_LANE),
    resumed,
    readThrough: undefined,
    closed: false,
    isDone: () => signal.aborted || (run.closed && run.lanes.every((lane) => backlog(lane) === 0)),
    save: () => {
      const readThrough = run.readThrough ?? resumed?.readThrough;
      checkpoints.save(shardId, checkpointOf(run.lanes, readThrough, run.closed));
    },
  };
  const firstLook = checkpoints.firstLook(ports.now());
  await Promise.all([
    readLoop(run, firstLook),
    ...run.lanes.map((_lane, index) => laneLoop(run, index)),
  ]);
  // A shard that ends without a record still has to be marked as drained.
  if (run.closed && !signal.aborted) run.save();
}
