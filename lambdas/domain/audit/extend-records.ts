import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { AccessDeniedError, UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { type NumberedRecord, seriesOf } from '../evidence/numbered-records.ts';
import type { Clock, ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import { DAY_MILLIS, longestDays, type RetentionPolicy } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { isActive, stepOfKey } from '../holds/hold.ts';
import type { ProofReaders } from '../integrity/proof-digests.ts';
import { DigestSearch } from '../integrity/sealing-digests.ts';
import { CONCURRENT_INSPECTIONS } from './extend-runs.ts';
import { type Covered, EXTENSION_STEP_DAYS, type LockExtension } from './lock-extension.ts';

/** Documents that are written once and used for years: their locks count from then, what they prove comes later. */
const IN_USE = ['policies', 'keys', 'publicKeys', 'erasures'] as const;

/** The names of what stands in the folder of a producer or a hold begin with the number of a step. */
const NUMBERED = /\/(\d{8})[.-][^/]*$/;
/** The record of a producer. */
const RECORD = /\/\d{8}\.json$/;

export interface RecordListing extends ProofReaders {
  readonly clock: Clock;
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
 * extension and that year from now. Of a producer only the last step is in use, and of a hold while that sets it.
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
  const producers = inFolders(await list(EvidencePrefix.producers));
  for (const documents of producers) {
    const records = numbered(documents, ({ key }) => RECORD.test(key));
    const last = seriesOf(records, retention, now).inTurn.at(-1);
    for (const document of ofStep(documents, last)) want(wanted, document, neededMillis);
  }
  for (const documents of inFolders(await list(EvidencePrefix.holds))) {
    const steps = numbered(documents, ({ key }) => stepOfKey(key) !== undefined);
    // Whoever puts a step far ahead may not have the one that is in use forgotten.
    const lasts = [isActive, () => false].map((mayLeap) =>
      seriesOf(steps, retention, now, mayLeap).inTurn.at(-1),
    );
    for (const last of lasts.filter((step) => step && isActive(step))) {
      for (const document of ofStep(documents, last)) want(wanted, document, neededMillis);
    }
  }
  return wanted;
}

/** Evidence that was looked at, and how it is locked now. */
export interface CoveredVersion {
  readonly version: ObjectVersion;
  readonly covered: Covered;
}

/**
 * What proves extended evidence is to outlive it by as much as it did before: the digest that lists it, with its
 * signature and leaves, and the reports of the day on which it landed and the next.
 * @param denied takes the folders that may not be listed or read
 */
export async function recordsOf(
  evidence: Iterable<CoveredVersion>,
  { inspector, reader, clock, vaultBucket, retention }: RecordListing,
  denied: string[],
): Promise<Wanted> {
  const outlivesByDays = retention.recordDays - longestDays(retention);
  const wanted: Wanted = new Map();
  const search = new DigestSearch({ inspector, reader }, clock);
  const neededByDay = new Map<string, number>();
  for (const { version, lastModified, until } of extendedByLanding(evidence)) {
    const neededMillis = Date.parse(until) + outlivesByDays * DAY_MILLIS;
    const sealing = await looking(EvidencePrefix.digests, denied, vaultBucket, () =>
      search.sealing(version, lastModified),
    );
    for (const part of sealing) want(wanted, part, neededMillis);
    const day = lastModified.slice(0, 10);
    for (const date of [day, dayAfter(day)])
      neededByDay.set(date, Math.max(neededMillis, neededByDay.get(date) ?? 0));
  }
  if (neededByDay.size === 0) return wanted;
  const kinds = await looking(EvidencePrefix.reports, denied, vaultBucket, () =>
    inspector.folders(vaultBucket, EvidencePrefix.reports),
  );
  for (const [date, neededMillis] of neededByDay) {
    for (const kind of kinds) {
      const reports = await listed(`${kind}dt=${date}/`, { inspector, vaultBucket }, denied);
      for (const report of reports) want(wanted, report, neededMillis);
    }
  }
  return wanted;
}

/** What is extended, in the order of landing: the search keeps only the digests that it read last. */
function extendedByLanding(evidence: Iterable<CoveredVersion>) {
  return [...evidence]
    .flatMap(({ version, covered }) =>
      'until' in covered && covered.lastModified !== undefined
        ? [{ version, until: covered.until, lastModified: covered.lastModified }]
        : [],
    )
    .sort((a, b) => (a.lastModified < b.lastModified ? -1 : 1));
}

/** Sees that records are locked as is wanted. Answers those that are not, and why. */
export async function extendRecords(
  wanted: Wanted,
  extension: LockExtension,
): Promise<CoveredVersion[]> {
  return mapConcurrently(
    [...wanted.values()],
    CONCURRENT_INSPECTIONS,
    async ({ version, neededMillis }) => ({
      version,
      covered: await extension.cover(version, neededMillis),
    }),
  );
}

function inFolders(versions: readonly ListedVersion[]): Iterable<ListedVersion[]> {
  return groupBy(versions, ({ key }) => key.slice(0, key.lastIndexOf('/'))).values();
}

/** What is a step by its name; whether it is one of the series, {@link seriesOf} says. */
function numbered(
  documents: readonly ListedVersion[],
  isStep: (version: ListedVersion) => boolean,
): NumberedRecord[] {
  return documents.filter(isStep).map((version) => ({ version, number: stepNumber(version) }));
}

/** The documents of a step: a hold has the outcomes beside it. */
function ofStep(
  documents: readonly ListedVersion[],
  step: NumberedRecord | undefined,
): ListedVersion[] {
  return documents.filter((version) => stepNumber(version) === step?.number);
}

/** Not a number for a name that is none of ours. */
function stepNumber({ key }: ListedVersion): number {
  return Number(NUMBERED.exec(key)?.[1]);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MILLIS).toISOString().slice(0, 10);
}

function want(wanted: Wanted, version: ObjectVersion, neededMillis: number): void {
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

/** What may not be looked at, and a digest that cannot be read, is named once; the rest is looked at. */
async function looking<T>(
  prefix: string,
  denied: string[],
  bucket: string,
  look: () => Promise<T[]>,
): Promise<T[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AccessDeniedError || error instanceof UnreadableRecordError))
      throw error;
    const name = `${bucket}/${prefix}`;
    if (!denied.includes(name)) denied.push(name);
    return [];
  }
}
