import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { AccessDeniedError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { DAY_MILLIS, longestDays, type RetentionPolicy } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { digestKey } from '../integrity/digest.ts';
import type { ListedVersion, ObjectVersion, VersionInspector } from '../ports.ts';
import { CONCURRENT_INSPECTIONS } from './extend-runs.ts';
import { type Covered, EXTENSION_STEP_DAYS, type LockExtension } from './lock-extension.ts';

/** Documents that are written once and used for years: their locks count from then, what they prove comes later. */
const IN_USE = ['policies', 'keys', 'publicKeys'] as const;

export interface RecordListing {
  readonly inspector: VersionInspector;
  readonly vaultBucket: string;
  readonly retention: RetentionPolicy;
}

/** Records that are to be locked until then, by the name of their version. */
export type Wanted = Map<
  string,
  { readonly version: ObjectVersion; readonly neededMillis: number }
>;

/**
 * Whatever is still in use is to outlive by a year whatever may be locked today: the period, one step of an
 * extension and that year from now. Of a producer only the last document is in use.
 * @param denied takes the folders that may not be listed
 */
export async function recordsInUse(
  now: number,
  { inspector, vaultBucket, retention }: RecordListing,
  denied: string[],
): Promise<Wanted> {
  const neededMillis = now + (retention.recordDays + EXTENSION_STEP_DAYS) * DAY_MILLIS;
  const wanted: Wanted = new Map();
  const list = (prefix: string) => listed(prefix, { inspector, vaultBucket }, denied);
  for (const folder of IN_USE) {
    for (const version of await list(EvidencePrefix[folder])) want(wanted, version, neededMillis);
  }
  const byProducer = groupBy(await list(EvidencePrefix.producers), ({ key }) =>
    key.slice(0, key.lastIndexOf('/')),
  );
  for (const documents of byProducer.values()) {
    const [last] = documents.sort((a, b) => (a.key < b.key ? 1 : -1)) as [ListedVersion];
    want(wanted, last, neededMillis);
  }
  return wanted;
}

/**
 * What proves extended evidence is to outlive it by as much as it did before: the digest of the interval in which it
 * landed, with its signature and leaves, and the reports of that day and the next.
 * @param denied takes the folders that may not be listed
 */
export async function recordsOf(
  covered: Iterable<Covered>,
  { inspector, vaultBucket, retention }: RecordListing,
  denied: string[],
): Promise<Wanted> {
  const outlivesByDays = retention.recordDays - longestDays(retention);
  const wanted: Wanted = new Map();
  const folders = new Map<string, Promise<ListedVersion[]>>();
  const folder = (prefix: string) => {
    const known = folders.get(prefix) ?? listed(prefix, { inspector, vaultBucket }, denied);
    folders.set(prefix, known);
    return known;
  };
  const kinds = await looking(EvidencePrefix.reports, denied, vaultBucket, () =>
    inspector.folders(vaultBucket, EvidencePrefix.reports),
  );
  for (const state of covered) {
    if (!('until' in state) || state.lastModified === undefined) continue;
    const neededMillis = Date.parse(state.until) + outlivesByDays * DAY_MILLIS;
    const day = state.lastModified.slice(0, 10);
    const digests = await folder(`${EvidencePrefix.digests}dt=${day}/`);
    for (const version of digestOf(state.lastModified, digests))
      want(wanted, version, neededMillis);
    for (const date of [day, dayAfter(day)]) {
      for (const kind of kinds) {
        for (const report of await folder(`${kind}dt=${date}/`)) want(wanted, report, neededMillis);
      }
    }
  }
  return wanted;
}

/** Sees that records are locked as is wanted. Answers those that are not, and why. */
export async function extendRecords(
  wanted: Wanted,
  extension: LockExtension,
): Promise<Array<{ readonly version: ObjectVersion; readonly covered: Covered }>> {
  return mapConcurrently(
    [...wanted.values()],
    CONCURRENT_INSPECTIONS,
    async ({ version, neededMillis }) => ({
      version,
      covered: await extension.cover(version, neededMillis),
    }),
  );
}

/** Digest, signature and leaves of the last interval that began before an object landed. Keys sort by that time. */
function digestOf(lastModified: string, digests: readonly ListedVersion[]): ListedVersion[] {
  const latest = stemOf(digestKey(lastModified));
  let stem = '';
  for (const { key } of digests) {
    const candidate = stemOf(key);
    if (candidate <= latest && candidate > stem) stem = candidate;
  }
  return digests.filter(({ key }) => stemOf(key) === stem);
}

function stemOf(key: string): string {
  return key.slice(0, key.lastIndexOf('.'));
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MILLIS).toISOString().slice(0, 10);
}

function want(wanted: Wanted, version: ListedVersion, neededMillis: number): void {
  const { bucket, key, versionId } = version;
  const name = versionName(version);
  const before = wanted.get(name)?.neededMillis ?? 0;
  wanted.set(name, {
    version: { bucket, key, versionId },
    neededMillis: Math.max(before, neededMillis),
  });
}

/** The versions below a prefix, delete markers aside: those have no lock. */
function listed(
  prefix: string,
  { inspector, vaultBucket }: Pick<RecordListing, 'inspector' | 'vaultBucket'>,
  denied: string[],
): Promise<ListedVersion[]> {
  return looking(prefix, denied, vaultBucket, async () => {
    const versions: ListedVersion[] = [];
    for await (const version of inspector.list(vaultBucket, prefix)) {
      if (!version.deleteMarker) versions.push(version);
    }
    return versions;
  });
}

async function looking<T>(
  prefix: string,
  denied: string[],
  bucket: string,
  look: () => Promise<T[]>,
): Promise<T[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AccessDeniedError)) throw error;
    denied.push(`${bucket}/${prefix}`);
    return [];
  }
}
