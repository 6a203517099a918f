import type { CheckpointStore } from './checkpoint-store.ts';
import type { Mapping } from './model.ts';
import type { Ports } from './ports.ts';
import { runShard } from './shard-loop.ts';
import { nameOf } from './shard-run.ts';
import { readableShards } from './shards.ts';
import { createWake } from './wake.ts';

/** How often a stream is asked for new shards; a drained shard also asks at once. */
const DISCOVER_MILLIS = 10_000;
/** While the stream cannot be listed. */
const RETRY_MILLIS = 1_000;

/** Processes every shard of a mapping's stream, and shards that appear later, until the signal ends it. */
export async function runMapping(
  ports: Ports,
  mapping: Mapping,
  checkpoints: CheckpointStore,
  signal: AbortSignal,
): Promise<void> {
  const wake = createWake(signal);
  const running = new Map<string, Promise<void>>();
  const isDrained = (shardId: string) => checkpoints.load(shardId)?.drained === true;
  checkpoints.firstLook(ports.now());
  while (!signal.aborted) {
    let pause = DISCOVER_MILLIS;
    try {
      for (const shard of readableShards(await ports.reader.listShards(), isDrained)) {
        if (running.has(shard.shardId) || signal.aborted) continue;
        const done = runShard(ports, mapping, shard.shardId, checkpoints, signal)
          .catch((error) => ports.log(`${shard.shardId}: stopped: ${nameOf(error)}`))
          .then(() => {
            running.delete(shard.shardId);
            wake.nudge();
          });
        running.set(shard.shardId, done);
      }
    } catch (error) {
      ports.log(`listing shards failed: ${nameOf(error)}`);
      pause = RETRY_MILLIS;
    }
    await wake.sleep(pause);
  }
  await Promise.all(running.values());
}
