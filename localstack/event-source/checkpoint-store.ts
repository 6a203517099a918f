import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from '../json-file.ts';
import type { ShardCheckpoint } from './checkpoint.ts';
import type { Mapping } from './model.ts';

/** Keeps the checkpoints of one mapping. */
export interface CheckpointStore {
  load(shardId: string): ShardCheckpoint | undefined;
  save(shardId: string, checkpoint: ShardCheckpoint): void;
  /** When this mapping first looked at its stream, epoch milliseconds; `now` on the first call ever. */
  firstLook(now: number): number;
}

/** Checkpoints as files below `folder`. A stream that was made again has another creation time and so starts over. */
export function fileCheckpoints(
  folder: string,
  mapping: Mapping,
  streamCreatedAt: number,
): CheckpointStore {
  const key = [mapping.uuid, mapping.streamArn, String(streamCreatedAt)];
  const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 16);
  const pathOf = (shardId: string) => join(folder, 'checkpoints', name, `${shardId}.json`);
  return {
    load: (shardId) => readJson<ShardCheckpoint>(pathOf(shardId)),
    save: (shardId, checkpoint) => writeJson(pathOf(shardId), checkpoint),
    firstLook: (now) => {
      const known = readJson<{ at: number }>(pathOf('first-look'));
      if (known === undefined) writeJson(pathOf('first-look'), { at: now });
      return known?.at ?? now;
    },
  };
}
