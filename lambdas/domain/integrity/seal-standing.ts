import { LineageError, UnavailableError, UnreadableRecordError } from '../errors.ts';
import type { ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import { ifReadable } from '../if-readable.ts';
import { readWhole } from '../read-whole.ts';
import { sha256Hex } from '../store-key.ts';
import { type Digest, publicKeyKey, SIGNATURE_METADATA } from './digest.ts';
import type { SigningKeys, VersionStreams } from './ports.ts';
import { readDigest } from './read-digest.ts';
import { firstVersions, type VaultListing } from './seal-listing.ts';
import { isSignedBy, MAX_KEY_BYTES, readPublicKey } from './signing-key.ts';
import { MAX_DIGEST_BYTES } from './verify-chain.ts';

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
  /** `vault`: the key stands in `public-keys/` alone, where others may put one. */
  readonly signer: 'ours' | 'vault';
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
  const standing = await ifReadable(() => openDigest(version, streams));
  if (!standing) return undefined;
  const { fingerprint } = standing.digest.signer;
  const isSigned = (pem: string | Buffer) => {
    const read = readPublicKey(Buffer.from(pem));
    return (
      read?.fingerprint === fingerprint && isSignedBy(read.key, standing.bytes, standing.signature)
    );
  };
  try {
    const own = await keys.byFingerprint(fingerprint);
    if (own) return isSigned(own.publicKey) ? { version, standing, signer: 'ours' } : undefined;
  } catch (error) {
    // An older key may be disabled. While KMS does not answer, nobody knows whose it is: a guess would break the chain.
    if (!(error instanceof LineageError) || error instanceof UnavailableError) throw error;
  }
  const [held] = firstVersions(await listing.all(publicKeyKey(fingerprint)));
  const pem = held && (await ifReadable(async () => readPem(held, streams)));
  return pem && isSigned(pem) ? { version, standing, signer: 'vault' } : undefined;
}

async function readPem(version: ObjectVersion, streams: VersionStreams) {
  return readWhole((await streams.open(version)).body, MAX_KEY_BYTES);
}

/** @throws UnreadableRecordError `digest_unreadable` */
export async function openDigest(
  { bucket, key, versionId }: ObjectVersion,
  streams: VersionStreams,
): Promise<StandingDigest> {
  const version = { bucket, key, versionId };
  const { body, metadata } = await streams.open(version);
  const bytes = await readWhole(body, MAX_DIGEST_BYTES);
  const digest = bytes && readDigest(bytes, version);
  const signature = metadata[SIGNATURE_METADATA];
  if (!digest || signature === undefined) throw new UnreadableRecordError('digest_unreadable');
  return { digest, signature, bytes, sha256: sha256Hex(bytes) };
}

/** What says who signs after a digest. */
interface Signed {
  readonly standing: { readonly digest: Pick<Digest, 'signer' | 'nextSigner'> };
}

/** Whether a digest is signed by the key that the one before it announced. */
export function isDueAfter(before: Signed, next: Signed): boolean {
  const { nextSigner, signer } = before.standing.digest;
  return next.standing.digest.signer.fingerprint === (nextSigner ?? signer).fingerprint;
}
