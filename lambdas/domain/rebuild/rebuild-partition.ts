import { sum } from '../collections.ts';
import { drainConcurrently, mapConcurrently } from '../concurrency.ts';
import { LineageError, UnreadableRecordError } from '../errors.ts';
import type { ListedVersion, StoredObjects, VersionInspector } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { type IndexObjectsDependencies, readForIndex } from './index-objects.ts';
import type { Partition } from './partition.ts';
import { byStorage, inStoredOrder } from './stored-order.ts';

export interface RebuildDependencies extends IndexObjectsDependencies {
  readonly inspector: Pick<VersionInspector, 'list' | 'folders'>;
  readonly objects: StoredObjects;
  readonly vaultBucket: string;
}

/** What was done of a partition. */
export interface PartitionCount {
  readonly objects: number;
  /** Distinct within what one window holds; a replay in a later object is counted again. */
  readonly records: number;
  /** Objects that are not what their key says; their records were not filed. */
  readonly unreadable: number;
  /** The first {@link MAX_NAMED} of them, as `<bucket>/<key>@<version id>`. */
  readonly named: readonly string[];
  /** Versions that were looked for, because a digest lists them and a rebuild reads them. */
  readonly sealed: number;
  /** Versions that are gone though they were locked for longer, and the first {@link MAX_NAMED} of them. */
  readonly missing: number;
  readonly missingNamed: readonly string[];
  /** Versions that are gone and whose lock, as it was sealed, is over. */
  readonly expired: number;
}

export const NOTHING_DONE: PartitionCount = {
  ...{ objects: 0, records: 0, unreadable: 0, named: [] },
  ...{ sealed: 0, missing: 0, missingNamed: [], expired: 0 },
};

/** The version after which to go on; absent when the partition is done. */
export interface PartitionProgress extends PartitionCount {
  readonly next?: ListedVersion;
}

/**
 * Objects read at once: a window ends with as many or with the one that brings it to this many bytes as stored. 4 MiB
 * become some 60 MiB of lines and as much of what is read of them.
 */
const WINDOW_OBJECTS = 16;
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Named of one partition: counts travel through Step Functions, which takes 256 KiB. */
export const MAX_NAMED = 100;

/** Rows in flight, of lines of traces all of one: DynamoDB answers in milliseconds, the socket pool holds 50. */
const CONCURRENT_WRITES = 64;

/**
 * Writes the rows of everything that a partition holds: objects in the order they were stored, window by window, and
 * of a record that several hold the first. The vault goes before staging, so that a promoted delivery is never filed as
 * a staged one. Safe to repeat, and to run while archive writes.
 * @param after where an earlier call stopped
 * @param hasTime asked before each window but the first
 * @throws AccessDeniedError, UnavailableError
 */
export async function rebuildPartition(
  partition: Partition,
  dependencies: RebuildDependencies,
  after?: ListedVersion,
  hasTime: () => boolean = () => true,
): Promise<PartitionProgress> {
  const versions = await versionsOf(partition, dependencies, after);
  let progress: PartitionProgress = NOTHING_DONE;
  for (const window of windowsOf(versions)) {
    if (progress.next && !hasTime()) return progress;
    const written = await writeWindow(partition, window, dependencies);
    const failed = window.filter((_, at) => written[at] === undefined);
    progress = {
      ...addCounts(progress, {
        ...NOTHING_DONE,
        objects: window.length,
        records: sum(written.map((records) => records ?? 0)),
        unreadable: failed.length,
        named: failed.map(versionName),
      }),
      next: window.at(-1) as ListedVersion,
    };
  }
  const { next: _, ...count } = progress;
  return count;
}

/** Counts of two stretches of one partition. */
export function addCounts(a: PartitionCount, b: PartitionCount): PartitionCount {
  return {
    objects: a.objects + b.objects,
    records: a.records + b.records,
    unreadable: a.unreadable + b.unreadable,
    named: [...a.named, ...b.named].slice(0, MAX_NAMED),
    sealed: a.sealed + b.sealed,
    missing: a.missing + b.missing,
    missingNamed: [...a.missingNamed, ...b.missingNamed].slice(0, MAX_NAMED),
    expired: a.expired + b.expired,
  };
}

async function versionsOf(
  { kind, prefix }: Partition,
  { inspector, vaultBucket, stagingBucket }: RebuildDependencies,
  after: ListedVersion | undefined,
): Promise<ListedVersion[]> {
  const buckets = kind === 'traces' ? [vaultBucket, stagingBucket] : [vaultBucket];
  const left = buckets.slice(after ? buckets.indexOf(after.bucket) : 0);
  const versions: ListedVersion[] = [];
  for (const bucket of left) {
    const listed: ListedVersion[] = [];
    for await (const version of inspector.list(bucket, prefix)) listed.push(version);
    for (const version of inStoredOrder(listed)) {
      if (after?.bucket !== bucket || byStorage(version, after) > 0) versions.push(version);
    }
  }
  return versions;
}

function* windowsOf(versions: readonly ListedVersion[]): Generator<readonly ListedVersion[]> {
  let from = 0;
  let bytes = 0;
  for (const [at, version] of versions.entries()) {
    bytes += version.bytes;
    const isBucketEnd = versions[at + 1]?.bucket !== version.bucket;
    if (!isBucketEnd && at + 1 - from < WINDOW_OBJECTS && bytes < WINDOW_BYTES) continue;
    yield versions.slice(from, at + 1);
    from = at + 1;
    bytes = 0;
  }
}

/**
 * Fetches the objects of a window at once, then reads one after the other, as far as its rows are being written: each
 * record once, from the first object that holds it.
 * @returns of each object how many records; undefined for one that could not be read
 */
async function writeWindow(
  partition: Partition,
  window: readonly ListedVersion[],
  dependencies: RebuildDependencies,
): Promise<Array<number | undefined>> {
  const fetched = await mapConcurrently(window, WINDOW_OBJECTS, (version) =>
    ifReadable(() => dependencies.objects.readLocked(version)),
  );
  const records: Array<number | undefined> = [];
  const seen = new Set<string>();
  function* writes() {
    for (const [at, version] of window.entries()) {
      const stored = fetched[at];
      fetched[at] = undefined;
      const object =
        stored && ifReadableNow(() => readForIndex(partition, version, stored, dependencies));
      if (!object) continue;
      const own = new Set(object.records.filter((record) => !seen.has(record)));
      for (const record of own) seen.add(record);
      records[at] = own.size;
      yield* object.writes(own);
    }
  }
  // What was read has the shape of ours: an error here is one of the store or of our own, and no record is passed over.
  await drainConcurrently(writes(), CONCURRENT_WRITES);
  return records;
}

/** Undefined where what was read is gone or not what it should be; only infrastructure is an error. */
async function ifReadable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    return unreadable(error);
  }
}

function ifReadableNow<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): undefined {
  // A foreign error is one of a parser, over a document that only looks like ours.
  if (error instanceof UnreadableRecordError || !(error instanceof LineageError)) return undefined;
  throw error;
}
