import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import {
  type Digest,
  digestBegin,
  digestKey,
  documentOf,
  isDigestPlace,
  MAX_LATE,
  type SealedObject,
} from './digest.ts';
import { daysBetween, firstVersions, type Interval, type VaultListing } from './seal-listing.ts';
import {
  type DigestReaders,
  isDueAfter,
  readSigned,
  type SignedDigest,
  type StandingDigest,
} from './seal-standing.ts';
import { type GoneDigest, goneDigests, withPrevious } from './seal-strays.ts';

/**
 * A sweep looks at what landed since a day before the sweep of the day before: nothing older can be left. That sweep was
 * at its midnight at the earliest, unless our clock was ahead: then it was when S3 dates its digest, and intervals that
 * had not come yet were sealed without what landed in them since.
 */
const OVERLAP_MILLIS = DAY_MILLIS;

async function sweptSince(intervalFrom: number, listing: VaultListing): Promise<number> {
  const midnight = (Math.floor(intervalFrom / DAY_MILLIS) - 1) * DAY_MILLIS;
  const usual = digestKey(new Date(midnight).toISOString());
  const standing = await listing.all(usual.replace(/\.json$/, ''));
  const begun = standing.filter(({ key }) => digestBegin(key) === midnight);
  const landed = firstVersions(begun).map(({ lastModified }) => Date.parse(lastModified));
  return Math.min(midnight, ...landed) - OVERLAP_MILLIS;
}

/** Small reads: as many as wait well below the sockets of a client. */
const DIGESTS_AT_ONCE = 8;

/** Whether the interval after a digest is swept: one that begins a UTC day, or follows one that could not take all. */
export function isSweepDue(fromMillis: number, previous: Digest | undefined): boolean {
  const late = previous?.objects.filter((object) => object.late).length ?? 0;
  return fromMillis % DAY_MILLIS === 0 || late >= MAX_LATE;
}

interface SweepReaders extends DigestReaders {
  readonly listing: VaultListing;
}

/** What landed and is in no digest. Read once for a run, whose own digests are then added. */
export class Sweep {
  readonly #landed: readonly ListedVersion[];
  /** By name; the versions that could not be read when they were. */
  readonly #sealed = new Map<string, ListedVersion | undefined>();

  /** What lies among the digests that were read and is none of ours. */
  readonly foreign: readonly ListedVersion[];
  /** Digests of that time that are gone. */
  readonly gone: readonly GoneDigest[];

  private constructor(
    landed: readonly ListedVersion[],
    foreign: readonly ListedVersion[],
    gone: readonly GoneDigest[],
  ) {
    this.#landed = landed;
    this.foreign = foreign;
    this.gone = gone;
  }

  /**
   * @param interval from the begin of the digest that takes what is late; what lands after its end is for a later run
   * @param head digests count that it leads to under keys that the chain announced, or that a key of ours signed
   * @param folderDays how old a folder may be that something still lands in
   * @throws AccessDeniedError, UnavailableError
   */
  static async load(
    interval: Interval,
    head: StandingDigest | undefined,
    folderDays: number,
    { listing, ...readers }: SweepReaders,
  ): Promise<Sweep> {
    const from = await sweptSince(interval.from, listing);
    const days = daysBetween(from, interval.to).map((day) => EvidencePrefix.digests + day);
    const listed = (await Promise.all(days.map((day) => listing.all(day)))).flat();
    const beside = await listing.besideDays(EvidencePrefix.digests);
    const foreign = [...listed, ...beside].filter(
      ({ key, deleteMarker }) => !deleteMarker && documentOf(key) === undefined,
    );
    const documents = firstVersions(listed.filter(({ key }) => isDigestPlace(key)));
    const signed = await mapConcurrently(documents, DIGESTS_AT_ONCE, async (version) => {
      const found = await readSigned(version, listing, readers);
      if (!found) foreign.push(version);
      return found ?? [];
    });
    const bySha256 = new Map(signed.flat().map((found) => [found.standing.sha256, found]));
    const chain: SignedDigest[] = [];
    let { gone } = await goneDigests(listed, listing);
    for (let next = bySha256.get(head?.sha256 ?? ''); next; ) {
      chain.push(next);
      const { digest } = next.standing;
      next = bySha256.get(digest.previous?.sha256 ?? '');
      if (!next) gone = await withPrevious(gone, digest, listing);
    }
    const chained = announced(chain.toReversed());
    const sealing = [...bySha256.values()].filter((found) => {
      const isOurs = found.signer === 'ours' || chained.has(found);
      if (!isOurs) foreign.push(found.version);
      return isOurs;
    });
    const landed = await listing.landed({ from, to: interval.to }, folderDays);
    const sweep = new Sweep(landed, foreign, gone);
    sealing.sort((a, b) => (a.version.key < b.version.key ? -1 : 1));
    for (const { standing } of sealing) sweep.add(standing.digest.objects);
    return sweep;
  }

  /** What landed before an instant and no digest has, the oldest first, as many as one digest takes. */
  missing(beforeMillis: number): ListedVersion[] {
    return this.#landed
      .filter(
        (version) =>
          !version.deleteMarker &&
          Date.parse(version.lastModified) < beforeMillis &&
          !this.#sealed.has(versionName(version)),
      )
      .sort((a, b) => (a.lastModified < b.lastModified ? -1 : 1))
      .slice(0, MAX_LATE);
  }

  /** Delete markers of the time that is swept. */
  get markers(): ListedVersion[] {
    return this.#landed.filter(({ deleteMarker }) => deleteMarker);
  }

  /** What was sealed as unreadable and not read since, as much as one digest takes. */
  get unread(): ListedVersion[] {
    return [...this.#sealed.values()].flatMap((version) => version ?? []).slice(0, MAX_LATE);
  }

  /** In the order of the chain: what could not be read may have been read later. */
  add(objects: readonly SealedObject[]): void {
    for (const object of objects) {
      const unread = object.unreadable && { ...nameOf(object), deleteMarker: false };
      this.#sealed.set(versionName(object), unread);
    }
  }
}

/**
 * Those of a part of the chain, the oldest first, that are signed as the one before them announced: our own keys may be
 * gone from KMS. The first has its word from what was swept before.
 */
function announced(chain: readonly SignedDigest[]): Set<SignedDigest> {
  const counted = new Set<SignedDigest>();
  for (const [at, found] of chain.entries()) {
    const before = chain[at - 1];
    const isDue = !before || (counted.has(before) && isDueAfter(before, found));
    if (found.signer === 'ours' || isDue) counted.add(found);
  }
  return counted;
}

function nameOf({ bucket, key, versionId, lastModified, bytes, etag }: SealedObject) {
  return { bucket, key, versionId, lastModified, bytes, ...(etag !== undefined && { etag }) };
}
