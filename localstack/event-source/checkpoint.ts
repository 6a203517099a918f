import { createHash } from 'node:crypto';
import { firstPending, type Lane } from './lane.ts';
import { compareSequence, type StreamRecord } from './model.ts';

/** How far a shard is processed: enough to go on after a restart without losing or repeating a settled record. */
export interface ShardCheckpoint {
  /** Last record that was read from the stream; absent when none was. */
  readonly readThrough?: string;
  /** For each lane the first record that is not settled; null when all it was given is. */
  readonly lanes: readonly (string | null)[];
  /** The shard is closed and every record of it is settled: its children may begin. */
  readonly drained: boolean;
}

/** Describes the state of a shard's lanes. */
export function checkpointOf(
  lanes: readonly Lane[],
  readThrough: string | undefined,
  closed: boolean,
): ShardCheckpoint {
  const pending = lanes.map((lane) => firstPending(lane)?.sequenceNumber ?? null);
  const drained = closed && pending.every((sequenceNumber) => sequenceNumber === null);
  return { ...(readThrough !== undefined && { readThrough }), lanes: pending, drained };
}

/** Where to read from: the first unsettled record, or behind the last one read; undefined when nothing was read. */
export function resumeFrom(
  checkpoint: ShardCheckpoint | undefined,
): { readonly kind: 'at' | 'after'; readonly sequenceNumber: string } | undefined {
  if (checkpoint?.readThrough === undefined) return undefined;
  const pending = checkpoint.lanes.filter((lane) => lane !== null).sort(compareSequence);
  const first = pending[0];
  return first === undefined
    ? { kind: 'after', sequenceNumber: checkpoint.readThrough }
    : { kind: 'at', sequenceNumber: first };
}

/** Whether a record that is read again was settled before the restart. */
export function isSettled(
  checkpoint: ShardCheckpoint | undefined,
  laneIndex: number,
  laneCount: number,
  sequenceNumber: string,
): boolean {
  if (checkpoint?.readThrough === undefined) return false;
  // With another parallelization factor the keys lie in other lanes; repeating is allowed, losing is not.
  if (checkpoint.lanes.length !== laneCount) return false;
  if (compareSequence(sequenceNumber, checkpoint.readThrough) > 0) return false;
  const pending = checkpoint.lanes[laneIndex];
  return pending === null || pending === undefined || compareSequence(sequenceNumber, pending) < 0;
}

/** The lane of a record: all records of one partition key share it, so they stay in order. */
export function laneOf(record: StreamRecord, laneCount: number): number {
  if (laneCount === 1) return 0;
  return createHash('md5').update(record.partitionKey).digest().readUInt32BE(0) % laneCount;
}
