import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { Clock, ListedVersion, ObjectReader, VersionInspector } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { ifReadable } from '../if-readable.ts';
import type { SealedObject } from '../integrity/digest.ts';
import { SignedDigests } from '../integrity/proof-digests.ts';
import { isWithin, type RebuiltInterval, type SealedDay, spanOf } from './partition.ts';
import { addCounts, MAX_NAMED, NOTHING_DONE, type PartitionProgress } from './rebuild-partition.ts';

export interface SealedObjectsDependencies {
  readonly inspector: Pick<VersionInspector, 'list'>;
  readonly reader: ObjectReader;
  readonly vaultBucket: string;
  readonly clock: Clock;
}

/** Digests read at once, of some 100 KB each. */
const CONCURRENT_DIGESTS = 4;

/**
 * Names kept until the folders are listed that they should lie in: some 60 MB. It is more than a busy day has, so that
 * a folder is listed about once for each day that something landed in it.
 */
const MAX_EXPECTED = 250_000;

/** Read by a rebuild whatever its interval is: no date cuts them up. */
const REGISTERS = [EvidencePrefix.producers, EvidencePrefix.keys, EvidencePrefix.holds] as const;
const HOURLY = [
  ...[EvidencePrefix.lineage, EvidencePrefix.traces],
  ...[EvidencePrefix.quarantine, EvidencePrefix.findings],
] as const;

/**
 * Looks whether what the digests of a day list of the interval is there: a rebuild cannot file what is gone, and only
 * the digests tell that it was. Whether the digests themselves are whole is told by `evidence verify`.
 * @param after the digest where an earlier call stopped
 * @param hasTime asked before folders are listed for another time
 * @throws AccessDeniedError, UnavailableError
 */
export async function compareSealed(
  day: SealedDay,
  dependencies: SealedObjectsDependencies,
  after?: ListedVersion,
  hasTime: () => boolean = () => true,
): Promise<PartitionProgress> {
  const signed = new SignedDigests(dependencies.vaultBucket, dependencies);
  const listed = await signed.ofDay(spanOf(day.prefix)?.fromMillis as number);
  const digests = listed.filter(({ key }) => after === undefined || key > after.key);

  let progress: PartitionProgress = NOTHING_DONE;
  let expected = new Expected();
  for (let at = 0; at < digests.length; at += CONCURRENT_DIGESTS) {
    const some = digests.slice(at, at + CONCURRENT_DIGESTS);
    const read = await mapConcurrently(some, CONCURRENT_DIGESTS, (version) =>
      objectsOf(version, signed),
    );
    const unreadable = some.filter((_, i) => read[i] === undefined);
    progress = addCounts(progress, {
      ...NOTHING_DONE,
      unreadable: unreadable.length,
      named: unreadable.map(versionName),
    });
    for (const object of read.flatMap((objects) => objects ?? [])) {
      if (isRebuilt(object.key, day)) expected.add(object);
    }
    const isLast = at + CONCURRENT_DIGESTS >= digests.length;
    if (!isLast && expected.size < MAX_EXPECTED) continue;
    progress = addCounts(progress, await expected.compare(dependencies));
    expected = new Expected();
    if (!isLast && !hasTime()) return { ...progress, next: some.at(-1) as ListedVersion };
  }
  return progress;
}

/** Undefined for what is no digest of the chain. */
async function objectsOf(
  version: ListedVersion,
  signed: SignedDigests,
): Promise<readonly SealedObject[] | undefined> {
  return (await ifReadable(() => signed.accepted(version)))?.digest.objects;
}

/** Whether a rebuild of the interval reads an object. */
function isRebuilt(key: string, interval: RebuiltInterval): boolean {
  if (REGISTERS.some((folder) => key.startsWith(folder))) return true;
  return (
    HOURLY.some((folder) => key.startsWith(folder)) &&
    spanOf(folderOf(key)) !== undefined &&
    isWithin(folderOf(key), interval)
  );
}

const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);

/** What was sealed twice is locked until the later of both. */
function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Date.parse(a) > Date.parse(b) ? a : b;
}

/** Versions that should be there, by their folders; each with the end of its lock as it was sealed. */
class Expected {
  readonly #folders = new Map<string, Map<string, string | undefined>>();
  size = 0;

  add(object: SealedObject): void {
    const folder = folderOf(object.key);
    const versions = this.#folders.get(folder) ?? new Map<string, string | undefined>();
    const name = versionName(object);
    if (!versions.has(name)) this.size++;
    this.#folders.set(folder, versions.set(name, later(versions.get(name), object.retainUntil)));
  }

  async compare({ inspector, vaultBucket, clock }: SealedObjectsDependencies) {
    const now = new Date(clock()).toISOString();
    const missingNamed: string[] = [];
    let missing = 0;
    let expired = 0;
    for (const [folder, versions] of this.#folders) {
      for await (const version of inspector.list(vaultBucket, folder)) {
        if (!version.deleteMarker) versions.delete(versionName(version));
      }
      for (const [name, retainUntil] of versions) {
        // As `verify` has it: what its lock does not keep any more may be gone.
        if (retainUntil !== undefined && Date.parse(retainUntil) < Date.parse(now)) {
          expired++;
          continue;
        }
        missing++;
        if (missingNamed.length < MAX_NAMED) missingNamed.push(name);
      }
    }
    return { ...NOTHING_DONE, sealed: this.size, missing, expired, missingNamed };
  }
}
