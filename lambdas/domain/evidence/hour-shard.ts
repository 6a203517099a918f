import { storeKey } from '../store-key.ts';

export const HOUR_MILLIS = 3_600_000;

/** Index partitions an hour is spread over: 8 x 1,000 writes a second each is what DynamoDB gives. */
export const INDEX_SHARDS = 8;

/** UTC hour of an instant: `YYYY-MM-DDTHH`. */
export function hourOf(instant: string | number): string {
  return new Date(instant).toISOString().slice(0, 13);
}

/** Folder of such an hour in the vault: what the archive writes to and the audit lists. */
export function hourFolder(hour: string): string {
  return `dt=${hour.slice(0, 10)}/hour=${hour.slice(11)}/`;
}

/** The index shard of a receipt: from its hash, so that a busy hour has no hot partition. */
export function indexShardOf(receiptId: string): number {
  return shardOf(receiptId, INDEX_SHARDS);
}

/** One of at most 256 shards, the same for the same name. */
export function shardOf(name: string, shards: number): number {
  return Number.parseInt(storeKey(name).slice(0, 2), 16) % shards;
}

/** Hours that the half-open interval `[from, to)` touches, in order. */
export function hoursBetween(fromMillis: number, toMillis: number): string[] {
  const hours: string[] = [];
  const first = Math.floor(fromMillis / HOUR_MILLIS) * HOUR_MILLIS;
  for (let at = first; at < toMillis; at += HOUR_MILLIS) {
    hours.push(hourOf(at));
  }
  return hours;
}
