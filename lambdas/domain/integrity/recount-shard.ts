import { LineageError } from '../errors.ts';
import { hourOf } from '../evidence/hour-shard.ts';
import type { Recount } from './digest.ts';
import type { StreamArrival, StreamCounter } from './ports.ts';
import { type StoredPositionsDependencies, storedPositions } from './stored-positions.ts';

export interface CountShardDependencies extends StoredPositionsDependencies {
  readonly counter: StreamCounter;
  /** Whether the invocation has time left for more; what there is none for is counted by a later digest. */
  readonly hasTime: () => boolean;
}

/** Records that a shard took in an interval, and those of them that are not stored. */
export interface ShardCount {
  readonly accepted: number;
  readonly missing: ReadonlyArray<Pick<StreamArrival, 'sequenceNumber' | 'arrivedAtMillis'>>;
}

/** In the place of a shard while the stream would not say which it has. */
export const ALL_SHARDS = '*';

/** Acceptance hours of one interval that are looked into; honest records have two, and only a stranger writes more. */
const MAX_HOURS = 48;

/** The clocks of stream and bucket differ by less. */
const CLOCK_SKEW_MILLIS = 60_000;

/**
 * Counts a shard in an interval of arrival. Memory goes by its records: 1,000 a second are all that it takes.
 * @throws LineageError when the shard cannot be counted, or not now
 */
export async function countShard(
  { plane, shardId, from, to }: Pick<Recount, 'plane' | 'shardId' | 'from' | 'to'>,
  dependencies: CountShardDependencies,
): Promise<ShardCount> {
  if (shardId === ALL_SHARDS) throw new LineageError('shards_unknown', 'no shard to count');
  const [fromMillis, toMillis] = [Date.parse(from), Date.parse(to)];
  const missing = new Map<string, number>();
  const filed = new Map<string, number>();
  for await (const arrival of dependencies.counter.arrivals(plane, shardId, fromMillis, toMillis)) {
    keepTime(dependencies);
    missing.set(arrival.sequenceNumber, arrival.arrivedAtMillis);
    const hour = hourOf(arrival.acceptedAt);
    filed.set(hour, (filed.get(hour) ?? 0) + 1);
  }
  const accepted = missing.size;
  if (accepted === 0) return { accepted, missing: [] };
  const hours = [...filed].sort(([, a], [, b]) => b - a).map(([hour]) => hour);
  const sought = {
    plane,
    shardId,
    hours: hours.slice(0, MAX_HOURS),
    sinceMillis: fromMillis - CLOCK_SKEW_MILLIS,
    isMissing: (sequenceNumber: string) => missing.has(sequenceNumber),
  };
  for await (const sequenceNumbers of storedPositions(sought, dependencies)) {
    keepTime(dependencies);
    for (const sequenceNumber of sequenceNumbers) missing.delete(sequenceNumber);
    if (missing.size === 0) break;
  }
  const left = [...missing].map(([sequenceNumber, arrivedAtMillis]) => ({
    sequenceNumber,
    arrivedAtMillis,
  }));
  return { accepted, missing: left };
}

function keepTime({ hasTime }: CountShardDependencies): void {
  if (!hasTime()) throw new LineageError('recount_unfinished', 'no time is left to count');
}
