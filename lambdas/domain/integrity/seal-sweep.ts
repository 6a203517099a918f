import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ListedVersion, ObjectVersion, SigningKeys, VersionStreams } from '../ports.ts';
import { type Digest, digestKey, isChainKey, isDigestPlace, MAX_LATE } from './digest.ts';
import { readSigned, type SignedDigest, type StandingDigest } from './seal-head.ts';
import { daysBetween, firstVersions, type Interval, type VaultListing } from './seal-listing.ts';

/**
 * A sweep looks at what landed since a day before the sweep of the day before: nothing older can be left. That sweep was
 * at its midnight at the earliest, unless our clock was ahead: then it was when S3 dates its digest, and intervals that
 * had not come yet were sealed without what landed in them since.
 */
const OVERLAP_MILLIS = DAY_MILLIS;

async function sweptSince(intervalFrom: number, listing: VaultListing): Promise<number> {
  const midnight = (Math.floor(intervalFrom / DAY_MILLIS) - 1) * DAY_MILLIS;
  const key = digestKey(new Date(midnight).toISOString());
  const standing = (await listing.all(key)).filter((version) => version.key === key);
  const [before] = firstVersions(standing);
  const sweptAt = Math.min(midnight, Date.parse(before?.lastModified ?? '') || midnight);
  return sweptAt - OVERLAP_MILLIS;
}

/** Small reads: as many as wait well below the sockets of a client. */
const DIGESTS_AT_ONCE = 8;

/** Whether the interval after a digest is swept: one that begins a UTC day, or follows one that could not take all. */
export function isSweepDue(fromMillis: number, previous: Digest | undefined): boolean {
  const late = previous?.objects.filter((object) => object.late).length ?? 0;
  return fromMillis % DAY_MILLIS === 0 || late >= MAX_LATE;
}

interface SweepReaders {
  readonly listing: VaultListing;
  readonly streams: VersionStreams;
  readonly keys: SigningKeys;
}

/** What landed and is in no digest. Read once for a run, whose own digests are then added. */
export class Sweep {
  readonly #landed: readonly ListedVersion[];
  readonly #sealed: Set<string>;

  /** What lies among the digests that were read and is none of ours. */
  readonly foreign: readonly ListedVersion[];

  private constructor(
    landed: readonly ListedVersion[],
    sealed: Set<string>,
    foreign: readonly ListedVersion[],
  ) {
    this.#landed = landed;
    this.#sealed = sealed;
    this.foreign = foreign;
  }

  /**
   * @param interval from the begin of the digest that takes what is late; what lands after its end is for a later run
   * @param head digests count that it leads to, or that a key of ours signed
   * @param folderDays how old a folder may be that something still lands in
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
    const foreign = listed.filter(({ key, deleteMarker }) => !deleteMarker && !isChainKey(key));
    const documents = firstVersions(listed.filter(({ key }) => isDigestPlace(key)));
    const signed = await mapConcurrently(documents, DIGESTS_AT_ONCE, async (version) => {
      const found = await readSigned(version, listing, readers);
      if (!found) foreign.push(version);
      return found ?? [];
    });
    const bySha256 = new Map(signed.flat().map((found) => [found.standing.sha256, found]));
    const chained = new Set<SignedDigest>();
    let next = bySha256.get(head?.sha256 ?? '');
    while (next) {
      chained.add(next);
      next = bySha256.get(next.standing.digest.previous?.sha256 ?? '');
    }
    const sealed = new Set<string>();
    for (const found of bySha256.values()) {
      if (found.signer !== 'ours' && !chained.has(found)) foreign.push(found.version);
      else for (const object of found.standing.digest.objects) sealed.add(versionName(object));
    }
    const landed = await listing.landed({ from, to: interval.to }, folderDays);
    return new Sweep(landed, sealed, foreign);
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

  add(objects: readonly ObjectVersion[]): void {
    for (const object of objects) this.#sealed.add(versionName(object));
  }
}
