import { createHash } from 'node:crypto';
import { groupBy, uniqueBy } from '../collections.ts';
import { LineageError, UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ListedVersion, ObjectVersion, VersionStreams } from '../ports.ts';
import { besideDigest, type Digest, isDigestKey, SIGNATURE_METADATA } from './digest.ts';
import { firstVersions, type Interval, type VaultListing, within } from './seal-listing.ts';

/** A digest as it stands in the vault. */
export interface StandingDigest {
  readonly digest: Digest;
  /** Hex, of its bytes. */
  readonly sha256: string;
  /** Base64. */
  readonly signature: string;
}

/** The last digest of the chain. */
export interface Head extends StandingDigest {
  /** Its signature stands beside it as well: nothing of its writing was left undone. */
  readonly isSettled: boolean;
  /** Versions of its folder that should not be: keys are written once. */
  readonly irregular: readonly ListedVersion[];
}

/**
 * Finds the head by listing the last folder that holds a digest. The clock has no say in it: one that jumped
 * would make an older digest the head.
 * @throws UnreadableRecordError `digest_unreadable` when what stands there is no digest of ours
 */
export async function findHead(
  listing: VaultListing,
  streams: VersionStreams,
): Promise<Head | undefined> {
  const folders = await listing.folders(EvidencePrefix.digests);
  for (const folder of folders.toReversed()) {
    const versions = await listing.all(folder);
    const documents = firstVersions(versions.filter(({ key }) => isDigestKey(key)));
    if (documents.length === 0) continue; // a sealer ended between the leaves and the digest
    const last = documents.reduce((head, next) => (next.key > head.key ? next : head));
    const signatureKey = besideDigest(last.key, 'signature');
    return {
      ...(await readDigest(last, streams)),
      isSettled: versions.some(({ key, deleteMarker }) => key === signatureKey && !deleteMarker),
      irregular: irregularities(versions),
    };
  }
  return undefined;
}

/** @throws UnreadableRecordError `digest_unreadable` */
export async function readDigest(
  { bucket, key, versionId }: ObjectVersion,
  streams: VersionStreams,
): Promise<StandingDigest> {
  const { body, metadata } = await streams.open({ bucket, key, versionId });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const digest = parse(bytes);
  const signature = metadata[SIGNATURE_METADATA];
  if (!isDigest(digest) || digest.location.key !== key || signature === undefined) {
    throw new UnreadableRecordError('digest_unreadable');
  }
  return { digest, signature, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined; // what the parser says quotes its input
  }
}

/** As far as the next digest relies on it; whether it is sound is for the verifier to say. */
function isDigest(value: unknown): value is Digest {
  const { digest, from, to, number, location, signer, objects } = (value ?? {}) as Partial<Digest>;
  return (
    digest === 1 &&
    typeof location?.key === 'string' &&
    typeof signer?.fingerprint === 'string' &&
    Number.isSafeInteger(number) &&
    Date.parse(from ?? '') < Date.parse(to ?? '') &&
    Array.isArray(objects)
  );
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

/** Whether a put was refused because another writer's content stands there. */
export function isConflict(error: unknown): boolean {
  return error instanceof LineageError && error.code === 'conflicting_object';
}
