import { createHash } from 'node:crypto';
import { LineageError, UnavailableError, UnreadableRecordError } from '../errors.ts';
import type { ListedVersion, ObjectVersion, SigningKeys, VersionStreams } from '../ports.ts';
import { readWhole } from '../read-whole.ts';
import { type Digest, isPlaceOf, publicKeyKey, SIGNATURE_METADATA } from './digest.ts';
import { firstVersions, type VaultListing } from './seal-listing.ts';
import { MAX_DIGEST_BYTES } from './verify-chain.ts';
import { isSignedBy, MAX_KEY_BYTES, readPublicKey } from './verify-keys.ts';

/** A digest as it stands in the vault. */
export interface StandingDigest {
  readonly digest: Digest;
  /** Hex, of its bytes. */
  readonly sha256: string;
  /** Base64. */
  readonly signature: string;
  readonly bytes: Buffer;
}

/** A digest whose signature is that of the key it names. */
export interface SignedDigest {
  readonly version: ListedVersion;
  readonly standing: StandingDigest;
  /** `vault`: the key stands in `public-keys/` alone, where others may put one; `unasked`: ours could not be asked for. */
  readonly signer: 'ours' | 'vault' | 'unasked';
}

export interface DigestReaders {
  readonly streams: VersionStreams;
  readonly keys: SigningKeys;
}

/**
 * Undefined for what is no digest, or is not signed.
 * @throws AccessDeniedError, UnavailableError
 */
export async function readSigned(
  version: ListedVersion,
  listing: VaultListing,
  { streams, keys }: DigestReaders,
): Promise<SignedDigest | undefined> {
  const standing = await readable(() => readDigest(version, streams));
  if (!standing) return undefined;
  const { fingerprint } = standing.digest.signer;
  const isSigned = (pem: string | Buffer) => {
    const read = readPublicKey(Buffer.from(pem));
    return (
      read?.fingerprint === fingerprint && isSignedBy(read.key, standing.bytes, standing.signature)
    );
  };
  let signer: SignedDigest['signer'] = 'vault';
  try {
    const own = await keys.byFingerprint(fingerprint);
    if (own) return isSigned(own.publicKey) ? { version, standing, signer: 'ours' } : undefined;
  } catch (error) {
    // An older key may be disabled; that the one which is due does not sign, sealing will say.
    if (!(error instanceof LineageError)) throw error;
    if (error instanceof UnavailableError) signer = 'unasked';
  }
  const [held] = firstVersions(await listing.all(publicKeyKey(fingerprint)));
  const pem = held && (await readable(async () => readPem(held, streams)));
  return pem && isSigned(pem) ? { version, standing, signer } : undefined;
}

async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}

async function readPem(version: ObjectVersion, streams: VersionStreams) {
  return readWhole((await streams.open(version)).body, MAX_KEY_BYTES);
}

/** @throws UnreadableRecordError `digest_unreadable` */
export async function readDigest(
  { bucket, key, versionId }: ObjectVersion,
  streams: VersionStreams,
): Promise<StandingDigest> {
  const { body, metadata } = await streams.open({ bucket, key, versionId });
  const bytes = await readWhole(body, MAX_DIGEST_BYTES);
  const digest = bytes && parse(bytes);
  const signature = metadata[SIGNATURE_METADATA];
  const isOfPlace =
    isDigest(digest) &&
    digest.location.key === key &&
    digest.location.bucket === bucket &&
    isPlaceOf(key, digest.from);
  if (!bytes || !isOfPlace || signature === undefined) {
    throw new UnreadableRecordError('digest_unreadable');
  }
  return { digest, signature, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
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
