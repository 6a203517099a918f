import { mapConcurrently } from '../concurrency.ts';
import { LineageError } from '../errors.ts';
import type { ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import { recordFinding } from '../evidence/record-finding.ts';
import { type Lock, lockFor } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Finding, openFinding } from '../findings.ts';
import { sha256Hex } from '../store-key.ts';
import {
  besideDigest,
  type Digest,
  digestBytes,
  publicKeyKey,
  type Recount,
  type SealedObject,
  SIGNATURE_METADATA,
  UNANCHORED,
} from './digest.ts';
import { HASH_BYTES, rootOf } from './merkle.ts';
import type { ChainVault, DigestSigner, HeadAnchor, SigningKeys, VersionStreams } from './ports.ts';
import type { Interval, VaultListing } from './seal-listing.ts';
import { type ReadObject, readObject } from './seal-object.ts';
import {
  type ReportDependencies,
  reportFinding,
  reportForeign,
  reportUnreadable,
} from './seal-reports.ts';
import { openDigest, type StandingDigest } from './seal-standing.ts';

/**
 * Reads the streams once more for an interval (RFC 3339), and for what the digest before it left open.
 */
export type RecountStreams = (
  interval: { readonly from: string; readonly to: string },
  previous: Digest | undefined,
) => Promise<{ readonly recounts: readonly Recount[]; readonly findings: readonly Finding[] }>;

/** What one digest is written with. */
export interface DigestDependencies extends ReportDependencies {
  readonly vault: ChainVault;
  readonly vaultBucket: string;
  readonly streams: VersionStreams;
  readonly keys: SigningKeys;
  /** Absent when heads go nowhere: then every digest says `unanchored`. */
  readonly anchor?: HeadAnchor;
  readonly recount: RecountStreams;
}

/** What one digest says beside what it reads. */
export interface DigestContent extends Pick<Digest, 'delayed' | 'displacedBy'> {
  /** Where it goes: nothing stands there. */
  readonly key: string;
  readonly interval: Interval;
  readonly previous: StandingDigest | undefined;
  readonly members: readonly ListedVersion[];
  readonly late: readonly ListedVersion[];
  /** Sealed before as unreadable: listed again where they can be read by now. */
  readonly unread: readonly ListedVersion[];
}

/** A digest that was just written, and its leaves, which are not beside it yet. */
export interface WrittenDigest {
  readonly standing: StandingDigest;
  readonly leaves: Uint8Array;
}

/** Objects read at the same time, each held whole: hides the waiting for S3 and keeps memory flat. */
const OBJECTS_AT_ONCE = 4;

const BINARY = 'application/octet-stream';
const JSON_TYPE = 'application/json';
const TEXT = 'text/plain';
const PEM = 'application/x-pem-file';

/**
 * Reads the objects of an interval and writes its digest with its signature. Whatever else belongs to it comes behind,
 * so that a part without a document always means that the document is gone. What a run leaves undone the next one ends.
 * @throws ConflictingObjectError when another sealer was faster, LineageError `signing_refused`, AccessDeniedError, UnavailableError
 */
export async function writeDigest(
  content: DigestContent,
  dependencies: DigestDependencies,
): Promise<WrittenDigest> {
  const { key, interval, previous, delayed, displacedBy } = content;
  const { vault, vaultBucket, anchor, streams } = dependencies;
  const from = new Date(interval.from).toISOString();
  const to = new Date(interval.to).toISOString();
  const lock = chainLock(dependencies);
  const { signer, next } = await signersAfter(previous, lock, dependencies);

  const read = await readObjects(content, dependencies);
  const sealedAt = dependencies.clock();
  const counted = await dependencies.recount({ from, to }, previous?.digest);
  for (const finding of counted.findings) await reportFinding(finding, dependencies);
  const leaves = Buffer.concat(read.map((object) => object.leaves));
  const digest: Digest = {
    digest: 1,
    location: { bucket: vaultBucket, key },
    number: previous ? previous.digest.number + 1 : 0,
    from,
    to,
    sealedAt: new Date(sealedAt).toISOString(),
    lock: { mode: lock.mode, retainUntil: lock.retainUntil },
    previous: previous
      ? {
          key: previous.digest.location.key,
          sha256: previous.sha256,
          signature: previous.signature,
          ...promisedUntil(previous.digest),
        }
      : null,
    signer: { algorithm: 'ECDSA_SHA_256', fingerprint: signer.fingerprint },
    ...(next && { nextSigner: { fingerprint: next.fingerprint } }),
    anchor: anchor?.name ?? UNANCHORED,
    objects: read.map(({ sealed }) => sealed),
    records: leaves.length / HASH_BYTES,
    root: rootOf(leaves),
    leaves:
      leaves.length === 0 ? null : { key: besideDigest(key, 'leaves'), sha256: sha256Hex(leaves) },
    recounts: counted.recounts,
    ...(delayed && { delayed }),
    ...(displacedBy && { displacedBy }),
  };
  const bytes = digestBytes(digest);
  const signature = await signer.sign(bytes);
  const version = await vault.putBytes(key, bytes, lock, {
    contentType: JSON_TYPE,
    metadata: { [SIGNATURE_METADATA]: Buffer.from(signature).toString('base64') },
  });
  // What stands may be the same document under the signature of another sealer.
  return { standing: await openDigest(version, streams), leaves };
}

/**
 * Ends the writing of a digest: puts its leaves beside it, sends it to the anchor, and puts its signature beside it.
 * The signature comes last: what has one is whole, and a digest without one was perhaps not sent either.
 * @param leaves when they are at hand; otherwise they are made again of the objects
 * @returns false when the anchor did not take it, which never stops the chain
 */
export async function settleDigest(
  standing: StandingDigest,
  listing: VaultListing,
  dependencies: DigestDependencies,
  leaves?: Uint8Array,
): Promise<boolean> {
  const { digest, sha256, signature } = standing;
  const { location, number, from, to } = digest;
  if (digest.leaves) {
    const whole = leaves ?? (await leavesAgain(digest, dependencies));
    if (whole) await putBeside(digest.leaves.key, whole, BINARY, listing, dependencies);
  }
  let isSent = true;
  try {
    await dependencies.anchor?.publish({ ...location, number, from, to, sha256, signature });
  } catch {
    isSent = false;
    const about = { plane: 'store', subject: location.key, at: to, runKeys: [] } as const;
    await recordFinding(
      openFinding('anchor_failed', { ...about, detail: { number } }),
      dependencies,
    );
  }
  const key = besideDigest(location.key, 'signature');
  await putBeside(key, Buffer.from(signature), TEXT, listing, dependencies);
  return isSent;
}

/** Undefined when the objects are not what they were: then the leaves are missing, and the verifier says so. */
async function leavesAgain(
  { objects, leaves }: Digest,
  { streams }: DigestDependencies,
): Promise<Buffer | undefined> {
  const holding = objects.filter(({ records }) => records > 0);
  const read = await mapConcurrently(holding, OBJECTS_AT_ONCE, (object) =>
    readObject({ ...object, deleteMarker: false }, streams),
  );
  const again = Buffer.concat(read.map((object) => object.leaves));
  return sha256Hex(again) === leaves?.sha256 ? again : undefined;
}

/** Somebody else's bytes may stand there: they are reported, and the digest holds without what belongs beside it. */
async function putBeside(
  key: string,
  bytes: Uint8Array,
  contentType: string,
  listing: VaultListing,
  dependencies: DigestDependencies,
): Promise<void> {
  try {
    await dependencies.vault.putBytes(key, bytes, chainLock(dependencies), { contentType });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const standing = (await listing.all(key)).filter((version) => version.key === key);
    await reportForeign(standing, listing, dependencies);
  }
}

/** Whether a put was refused because another writer's content stands there. */
export function isConflict(error: unknown): boolean {
  return error instanceof LineageError && error.code === 'conflicting_object';
}

/** Until when a digest, or any before it, was promised: the lock of one may be shorter than that of an earlier one. */
function promisedUntil({ lock, previous }: Digest): { readonly retainUntil?: string } {
  if (!lock) return {};
  const ends = [lock.retainUntil, previous?.retainUntil ?? lock.retainUntil].map(Date.parse);
  return { retainUntil: new Date(Math.max(...ends)).toISOString() };
}

/** Of everything that belongs to the chain: a year longer than what it proves. */
function chainLock({ retention, clock }: DigestDependencies): Lock {
  const now = clock();
  return lockFor(retention, retention.recordDays, now, now);
}

/**
 * Who signs the next digest, and which key it announces. The key of a new generation is announced under the one before
 * it, and signs from the digest after that. A public key stands in the vault before a digest names it.
 */
async function signersAfter(
  previous: StandingDigest | undefined,
  lock: Lock,
  { keys, vault }: DigestDependencies,
): Promise<{ readonly signer: DigestSigner; readonly next?: DigestSigner }> {
  const current = await keys.current();
  const due = previous?.digest.nextSigner ?? previous?.digest.signer;
  if (due?.fingerprint === current.fingerprint) return { signer: current };
  await vault.putBytes(
    publicKeyKey(current.fingerprint),
    Buffer.from(current.publicKey),
    // the lock is part of no comparison: what stands there stands as long as it was put for
    lock,
    { contentType: PEM },
  );
  if (!due) return { signer: current };
  const signer = await keys.byFingerprint(due.fingerprint);
  if (signer) return { signer, next: current };
  throw new LineageError('signing_key_unknown', 'no signing key has the fingerprint that is due');
}

/** In the order of keys, then of version ids; what lies there and is no evidence is a finding. */
async function readObjects(
  { members, late, unread }: DigestContent,
  dependencies: DigestDependencies,
): Promise<ReadObject[]> {
  const marks = new Map<string, Pick<SealedObject, 'late' | 'again'>>();
  for (const version of late) marks.set(versionName(version), { late: true });
  for (const version of unread) marks.set(versionName(version), { late: true, again: true });
  const versions = [...members, ...late, ...unread].sort(byKey);
  const all = await mapConcurrently(versions, OBJECTS_AT_ONCE, async (version) => {
    const { sealed, ...object } = await readObject(version, dependencies.streams);
    return { ...object, sealed: { ...sealed, ...marks.get(versionName(version)) } };
  });
  const read = all.filter(({ sealed }) => !(sealed.again && sealed.unreadable));
  for (const { isUnreadable, sealed } of read) {
    if (isUnreadable) await reportUnreadable(sealed, dependencies);
  }
  return read;
}

function byKey(a: ObjectVersion, b: ObjectVersion): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.versionId < b.versionId ? -1 : Number(a.versionId > b.versionId);
}
