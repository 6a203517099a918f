import { groupBy } from '../collections.ts';
import { hoursBetween, INDEX_SHARDS } from '../evidence/hour-shard.ts';
import type { DeliveryEntry } from '../evidence/index-entries.ts';
import type { ObjectVersion } from '../evidence/ports.ts';
import { DAY_MILLIS, periodDays, type RetentionPolicy } from '../evidence/retention.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import type { Plane } from '../findings.ts';

/** Half-open interval of acceptance, and the instant the audit speaks for. RFC 3339 UTC. */
export interface AuditInterval {
  readonly from: string;
  readonly to: string;
  readonly asOf: string;
}

/** One object version with everything the index says it holds. */
export interface IndexedVersion {
  readonly version: ObjectVersion;
  readonly deliveries: readonly DeliveryEntry[];
}

/** Every row of what was accepted in the interval. */
export async function deliveriesIn(
  { from, to }: AuditInterval,
  index: RunIndex,
): Promise<DeliveryEntry[]> {
  const deliveries: DeliveryEntry[] = [];
  for (const hour of hoursBetween(Date.parse(from), Date.parse(to))) {
    for (let shard = 0; shard < INDEX_SHARDS; shard++) {
      for await (const entry of index.acceptedInHour(hour, shard)) {
        const at = Date.parse(entry.acceptedAt);
        if (at >= Date.parse(from) && at < Date.parse(to)) deliveries.push(entry);
      }
    }
  }
  return deliveries;
}

/** Staged traces are no evidence yet: unlocked, and emptied by lifecycle without asking. */
export function isEvidence({ governed }: DeliveryEntry): boolean {
  return governed !== false;
}

/** Every object version that the rows name, each once. */
export function indexedVersions(deliveries: readonly DeliveryEntry[]): IndexedVersion[] {
  const groups = groupBy(deliveries, ({ location }) => versionName(location));
  return [...groups.values()].map((group) => {
    const { bucket, key, versionId } = (group[0] as DeliveryEntry).location;
    return { version: { bucket, key, versionId }, deliveries: group };
  });
}

/**
 * Until when each run of the interval is to be held: a period from its last event, by our own clock. The slack of
 * its locks covers what comes within it, so that a run shorter than that needs no extension.
 */
export function runNeeds(
  deliveries: readonly DeliveryEntry[],
  retention: RetentionPolicy,
): Map<string, number> {
  const needs = new Map<string, number>();
  for (const { runKey, acceptedAt, retentionClass } of deliveries) {
    if (runKey === undefined) continue;
    const until =
      Date.parse(acceptedAt) + periodDays(retention, 'lineage', retentionClass) * DAY_MILLIS;
    needs.set(runKey, Math.max(until, needs.get(runKey) ?? 0));
  }
  return needs;
}

/** The latest promise among the rows: a version is locked once, for all that it holds. */
export function strongestLock(deliveries: readonly DeliveryEntry[]) {
  const locks = deliveries.map(({ lock }) => lock);
  return locks.reduce((a, b) => (a.retainUntil >= b.retainUntil ? a : b));
}

/** Runs that a version holds something of, in order. */
export function runKeysOf({ deliveries }: IndexedVersion): string[] {
  return [...new Set(deliveries.flatMap(({ runKey }) => runKey ?? []))].sort();
}

/** A version holds lineage or traces, never both. */
export function planeOf({ deliveries }: IndexedVersion): Plane {
  return deliveries.some(({ kind }) => kind === 'trace') ? 'traces' : 'lineage';
}
