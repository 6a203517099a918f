import type { ListedVersion } from '../evidence/ports.ts';
import { firstVersions } from '../integrity/seal-listing.ts';

/**
 * Compares versions by when they were stored, as far as S3 tells: the first stored location of a record wins, live
 * and in a rebuild. S3 tells whole seconds. Within one the larger object goes first, because a batch that is
 * delivered again within a second comes as a part of itself, then the key decides.
 */
export function byStorage(a: ListedVersion, b: ListedVersion): number {
  return (
    compare(a.lastModified, b.lastModified) ||
    b.bytes - a.bytes ||
    compare(a.key, b.key) ||
    compare(a.versionId, b.versionId)
  );
}

/**
 * Versions in the order they were stored. A key is written once: a later version of one is left out, by the rule that
 * decides it for the digests as well, and so are markers.
 * @param listed as S3 lists them
 */
export function inStoredOrder(listed: readonly ListedVersion[]): ListedVersion[] {
  return firstVersions(listed).sort(byStorage);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
