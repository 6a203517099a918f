import { groupBy, uniqueBy } from '../collections.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Digest, digestKey, documentOf, type StrayVersion } from './digest.ts';
import { type Interval, type VaultListing, within } from './seal-listing.ts';

/** A digest that is gone. */
export interface GoneDigest {
  /** Key of the document. */
  readonly document: string;
  /** What stood beside it and still does. */
  readonly left: readonly ListedVersion[];
  /** RFC 3339 UTC: when what is left landed, or the digest was sealed that names it. */
  readonly at: string;
}

/** Looked at one by one, the newest first: more of them are no news. */
const MAX_GONE = 100;

/** Named in a digest that stands beside its usual place; whoever put more of them must not make it grow. */
const MAX_DISPLACING = 100;

/**
 * Digests of which signatures or leaves stand without the document. A sealer puts the document first, so that it was
 * there. Each is looked up again, since the pages of a listing are not of one moment: `isStale` when one turned up.
 */
export async function goneDigests(
  listed: readonly ListedVersion[],
  listing: VaultListing,
): Promise<{ readonly gone: readonly GoneDigest[]; readonly isStale: boolean }> {
  const objects = listed.filter(({ deleteMarker }) => !deleteMarker);
  const found: GoneDigest[] = [];
  for (const [document, left] of byDocument(objects)) {
    if (left.some(({ key }) => key === document)) continue;
    const [at = ''] = left.map(({ lastModified }) => lastModified).sort();
    found.push({ document, left, at });
  }
  found.sort((a, b) => (a.document > b.document ? -1 : 1));
  const gone: GoneDigest[] = [];
  const looked = found.slice(0, MAX_GONE);
  for (const digest of looked) {
    if (await isGone(digest.document, listing)) gone.push(digest);
  }
  return { gone, isStale: gone.length < looked.length };
}

/** Adds the digest before one, where it left nothing behind that names it. */
export async function withPrevious(
  gone: readonly GoneDigest[],
  { previous, sealedAt: at }: Digest,
  listing: VaultListing,
): Promise<readonly GoneDigest[]> {
  const document = previous?.key;
  const isNamed = gone.some((digest) => digest.document === document);
  if (document === undefined || isNamed || !(await isGone(document, listing))) return gone;
  return [...gone, { document, left: [], at }];
}

/** Whether no version of an object stands under a key, read now. */
async function isGone(key: string, listing: VaultListing): Promise<boolean> {
  const found = await listing.all(key);
  return found.every((version) => version.key !== key || version.deleteMarker);
}

/** What was listed among the digests, by the documents that it belongs to. */
export function byDocument(listed: readonly ListedVersion[]): Map<string, ListedVersion[]> {
  return groupBy(
    listed.filter(({ key }) => documentOf(key) !== undefined),
    ({ key }) => documentOf(key) as string,
  );
}

/**
 * The first place for a digest at which nothing stands, and what stands at those before it.
 * @param from of the digest, RFC 3339 UTC
 * @param standing behind the head, none of it part of a digest of the chain
 */
export function freePlace(
  from: string,
  standing: ReadonlyMap<string, readonly ListedVersion[]>,
): { readonly key: string; readonly displacedBy?: Digest['displacedBy'] } {
  const displacing: StrayVersion[] = [];
  for (let nth = 0; ; nth++) {
    const key = digestKey(from, 'document', nth);
    const taken = standing.get(key);
    if (!taken) return { key, ...(displacing.length > 0 && { displacedBy: displacing }) };
    for (const stray of taken) {
      if (displacing.length < MAX_DISPLACING) displacing.push(strayOf(stray));
    }
  }
}

function strayOf({ key, versionId, lastModified, deleteMarker }: ListedVersion): StrayVersion {
  return { key, versionId, lastModified, ...(deleteMarker && { deleteMarker }) };
}

/** All versions of keys that have more than one or a delete marker, and to which something came in the interval. */
export function irregularities(
  versions: readonly ListedVersion[],
  interval: Interval = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
): ListedVersion[] {
  const distinct = uniqueBy(versions, versionName);
  return [...groupBy(distinct, ({ key }) => key).values()]
    .filter((ofKey) => ofKey.length > 1 || ofKey.some(({ deleteMarker }) => deleteMarker))
    .filter((ofKey) => ofKey.some((version) => within(interval, version)))
    .flat();
}
