import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ListedVersion, ObjectVersion, VersionStreams } from '../ports.ts';
import { type Digest, isDigestKey } from './digest.ts';
import { readDigest } from './seal-head.ts';
import { daysBetween, firstVersions, type VaultListing } from './seal-listing.ts';

const DAY_MILLIS = 86_400_000;

/**
 * A sweep looks at what landed since two days before its interval, one day more than since the sweep before it:
 * each had to end before its interval was sealed, so nothing older can be left.
 */
const SWEPT_MILLIS = 2 * DAY_MILLIS;

/** Late objects in one digest: bounds its size, and what one interval costs. The digest after a full one goes on. */
export const MAX_LATE = 1_000;

/** Small reads: as many as wait well below the sockets of a client. */
const DIGESTS_AT_ONCE = 8;

/** Whether the interval after a digest is swept: one that begins a UTC day, or follows one that could not take all. */
export function isSweepDue(fromMillis: number, previous: Digest | undefined): boolean {
  const late = previous?.objects.filter((object) => object.late).length ?? 0;
  return fromMillis % DAY_MILLIS === 0 || late >= MAX_LATE;
}

/** What landed and is in no digest. Read once for a run, whose own digests are then added. */
export class Sweep {
  readonly #landed: readonly ListedVersion[];
  readonly #sealed: Set<string>;

  private constructor(landed: readonly ListedVersion[], sealed: Set<string>) {
    this.#landed = landed;
    this.#sealed = sealed;
  }

  /**
   * @param folderDays how old a folder may be that something still lands in
   * @param asOfMillis what lands later is for a later run
   */
  static async load(
    intervalFrom: number,
    asOfMillis: number,
    folderDays: number,
    { listing, streams }: { readonly listing: VaultListing; readonly streams: VersionStreams },
  ): Promise<Sweep> {
    const from = intervalFrom - SWEPT_MILLIS;
    const days = daysBetween(from, asOfMillis).map((day) => EvidencePrefix.digests + day);
    const listed = (await Promise.all(days.map((day) => listing.all(day)))).flat();
    const documents = firstVersions(listed.filter(({ key }) => isDigestKey(key)));
    const sealed = new Set<string>();
    await mapConcurrently(documents, DIGESTS_AT_ONCE, async (version) => {
      const { digest } = await readDigest(version, streams);
      for (const object of digest.objects) sealed.add(versionName(object));
    });
    const landed = await listing.landed({ from, to: asOfMillis }, folderDays);
    return new Sweep(landed, sealed);
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
