import { createHash } from 'node:crypto';
import { groupBy, uniqueBy } from '../collections.ts';
import { LineageError, UnavailableError, UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ListedVersion, ObjectVersion, SigningKeys, VersionStreams } from '../ports.ts';
import {
  besideDigest,
  type Digest,
  isChainKey,
  isDigestPlace,
  publicKeyKey,
  SIGNATURE_METADATA,
} from './digest.ts';
import { readDigest } from './read-digest.ts';
import { firstVersions, type Interval, type VaultListing, within } from './seal-listing.ts';
import { isSignedBy, readPublicKey } from './signing-key.ts';

/** A digest as it stands in the vault. */
export interface StandingDigest {
  readonly digest: Digest;
  /** Hex, of its bytes. */
  readonly sha256: string;
  /** Base64. */
  readonly signature: string;
  readonly bytes: Buffer;
}

/** The last digest of the chain. */
interface Head extends StandingDigest {
  /** Its signature stands beside it as well: nothing of its writing was left undone. */
  readonly isSettled: boolean;
  /** Versions of its folder that should not be: keys are written once. */
  readonly irregular: readonly ListedVersion[];
}

/** Where the chain stands, and what lies among its digests that is not part of it. */
export interface FoundHead {
  readonly head?: Head;
  readonly foreign: readonly ListedVersion[];
}

interface HeadReaders {
  readonly streams: VersionStreams;
  readonly keys: SigningKeys;
}

/** A digest that is signed, and the versions of its folder. */
interface Candidate extends SignedDigest {
  readonly folder: readonly ListedVersion[];
}

/** Digests under keys that are not ours (any more) that are passed over in the search for one under a key of ours. */
const MAX_UNKNOWN_SIGNERS = 100;

/**
 * Finds the head: the last digest by its place that a key of ours signed, and what follows it as it announced. The
 * clock has no say in it: one that jumped would make an older digest the head. What else lies there, somebody put
 * there: it is passed over. Where no key of ours signed anything, the last that a public key of the vault signed.
 * @throws AccessDeniedError, UnavailableError
 */
export async function findHead(listing: VaultListing, readers: HeadReaders): Promise<FoundHead> {
  const foreign: ListedVersion[] = [];
  const unknown: Candidate[] = []; // the newest first
  const folders = await listing.folders(EvidencePrefix.digests);
  for (const name of folders.toReversed()) {
    const folder = await listing.all(name);
    foreign.push(...folder.filter(({ key, deleteMarker }) => !deleteMarker && !isChainKey(key)));
    const documents = firstVersions(folder.filter(({ key }) => isDigestPlace(key)));
    for (const version of documents.sort((a, b) => (a.key > b.key ? -1 : 1))) {
      const signed = await readSigned(version, listing, readers);
      if (!signed) foreign.push(version);
      else if (signed.signer === 'ours') {
        const chain: Candidate[] = [{ ...signed, folder }];
        for (const next of unknown.toReversed()) {
          if (follows(next, chain.at(-1) as Candidate)) chain.push(next);
          else foreign.push(next.version);
        }
        return { head: headOf(chain.at(-1) as Candidate), foreign };
      } else unknown.push({ ...signed, folder });
      if (signed?.signer === 'unasked' || unknown.length >= MAX_UNKNOWN_SIGNERS) {
        return { head: headOf(unknown[0] as Candidate), foreign };
      }
    }
  }
  return { ...(unknown[0] && { head: headOf(unknown[0]) }), foreign };
}

function follows(next: Candidate, { standing: { digest, sha256 } }: Candidate): boolean {
  const due = digest.nextSigner ?? digest.signer;
  const { previous, signer } = next.standing.digest;
  return previous?.sha256 === sha256 && signer.fingerprint === due.fingerprint;
}

function headOf({ standing, folder }: Candidate): Head {
  const signatureKey = besideDigest(standing.digest.location.key, 'signature');
  return {
    ...standing,
    isSettled: folder.some(({ key, deleteMarker }) => key === signatureKey && !deleteMarker),
    irregular: irregularities(folder),
  };
}

/** A digest whose signature is that of the key it names. */
export interface SignedDigest {
  readonly version: ListedVersion;
  readonly standing: StandingDigest;
  /** `vault`: the key stands in `public-keys/` alone, where others may put one; `unasked`: ours could not be asked for. */
  readonly signer: 'ours' | 'vault' | 'unasked';
}

/**
 * Undefined for what is no digest, or is not signed.
 * @throws AccessDeniedError, UnavailableError
 */
export async function readSigned(
  version: ListedVersion,
  listing: VaultListing,
  { streams, keys }: HeadReaders,
): Promise<SignedDigest | undefined> {
  const standing = await readable(() => openDigest(version, streams));
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
  const pem = held && (await readable(async () => readAll((await streams.open(held)).body)));
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

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @throws UnreadableRecordError `digest_unreadable` */
export async function openDigest(
  { bucket, key, versionId }: ObjectVersion,
  streams: VersionStreams,
): Promise<StandingDigest> {
  const version = { bucket, key, versionId };
  const { body, metadata } = await streams.open(version);
  const bytes = await readAll(body);
  const digest = readDigest(bytes, version);
  const signature = metadata[SIGNATURE_METADATA];
  if (!digest || signature === undefined) throw new UnreadableRecordError('digest_unreadable');
  return { digest, signature, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
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
