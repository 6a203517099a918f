import type { ShardCheckpoint } from './checkpoint.ts';
import type { Lane } from './lane.ts';
import type { Mapping } from './model.ts';
import type { Ports } from './ports.ts';
import type { Wake } from './wake.ts';

/** One shard being processed: what its reader and its lanes share. */
export interface ShardRun {
  readonly ports: Ports;
  readonly mapping: Mapping;
  readonly shardId: string;
  readonly wake: Wake;
  readonly lanes: Lane[];
  /** What an earlier process had settled. */
  readonly resumed: ShardCheckpoint | undefined;
  /** Last record read by this process. */
  readThrough: string | undefined;
  closed: boolean;
  /** Ended from outside, or drained. */
  isDone(): boolean;
  /** Writes the checkpoint. */
  save(): void;
}

/** After a failed call to the stream or the destination. */
export const RETRY_MILLIS = 1_000;
/** How long a loop with nothing to do sleeps when nobody nudges it. */
export const IDLE_MILLIS = 60_000;

/** What may be logged of a foreign error: its name, since messages can quote records. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown error';
}
