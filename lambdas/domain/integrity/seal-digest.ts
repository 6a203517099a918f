import { type Finding, openFinding } from '../audit/findings.ts';
import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { LineageError } from '../errors.ts';
import { type RecordDependencies, recordFinding } from '../evidence/record-finding.ts';
import { type Lock, lockFor } from '../evidence/retention.ts';
import { sha256Hex } from '../evidence/store-key.ts';
import { versionName } from '../evidence/version-name.ts';
import type {
  ChainVault,
  DigestSigner,
  HeadAnchor,
  ListedVersion,
  ObjectVersion,
  SigningKeys,
  VersionStreams,
} from '../ports.ts';
import {
  besideDigest,
  type Digest,
  digestBytes,
  digestKey,
  publicKeyKey,
  type Recount,
  SIGNATURE_METADATA,
  UNANCHORED,
} from './digest.ts';
import { HASH_BYTES, rootOf } from './merkle.ts';
import { isConflict, openDigest, type StandingDigest } from './seal-head.ts';
import type { Interval } from './seal-listing.ts';
import { type ReadObject, readObject } from './seal-object.ts';

/**
 * Reads the streams once more for an interval (RFC 3339), and for what the digest before it left open.
 */
export type RecountStreams = (
  interval: { readonly from: string; readonly to: string },
  previous: Digest | undefined,
) => Promise<{ readonly recounts: readonly Recount[]; readonly findings: readonly Finding[] }>;

/** What one digest is written with. */
export interface DigestDependencies extends RecordDependencies {
  readonly vault: ChainVault;
  readonly vaultBucket: string;
  readonly streams: VersionStreams;
  readonly keys: SigningKeys;
  /** Absent when heads go nowhere: then every digest says `unanchored`. */
  readonly anchor?: HeadAnchor;
  readonly recount: RecountStreams;
}

/** What one digest says beside what it reads. */
export interface DigestContent {
  readonly interval: Interval;
  readonly previous: StandingDigest | undefined;
  readonly members: readonly ListedVersion[];
  readonly late: readonly ListedVersion[];
  readonly delayed?: Digest['delayed'];
}

/** Objects read at the same time, each held whole: hides the waiting for S3 and keeps memory flat. */
const OBJECTS_AT_ONCE = 4;

const BINARY = 'application/octet-stream';
const JSON_TYPE = 'application/json';
const TEXT = 'text/plain';
const PEM = 'application/x-pem-file';

/**
 * Reads the objects of an interval and writes its digest: leaves, then the document with its signature, then
 * the signature beside it. What a run leaves undone the next one finds and ends.
 * @throws ConflictingObjectError when another sealer was faster, LineageError `signing_refused`, AccessDeniedError, UnavailableError
 */
export async function writeDigest(
  content: DigestContent,
  dependencies: DigestDependencies,
): Promise<StandingDigest> {
  const { interval, previous, delayed } = content;
  const { vault, vaultBucket, anchor, streams } = dependencies;
  const from = new Date(interval.from).toISOString();
  const to = new Date(interval.to).toISOString();
  const key = digestKey(from);
  const lock = chainLock(dependencies);
  const { signer, next } = await signersAfter(previous, lock, dependencies);

  const read = await readObjects(content, dependencies);
  const sealedAt = dependencies.clock();
  const counted = await dependencies.recount({ from, to }, previous?.digest);
  for (const finding of counted.findings) await recordFinding(finding, dependencies);
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
          ...(previous.digest.lock && { retainUntil: previous.digest.lock.retainUntil }),
        }
      : null,
    signer: { algorithm: 'ECDSA_SHA_256', fingerprint: signer.fingerprint },
    ...(next && { nextSigner: { fingerprint: next.fingerprint } }),
    anchor: anchor?.name ?? UNANCHORED,
    objects: read.map(({ sealed }) => sealed),
    records: leaves.length / HASH_BYTES,
    root: rootOf(leaves),
    leaves: leaves.length === 0 ? null : await putLeaves(key, leaves, lock, vault),
    recounts: counted.recounts,
    ...(delayed && { delayed }),
  };
  const bytes = digestBytes(digest);
  const signature = await signer.sign(bytes);
  const version = await vault.putBytes(key, bytes, lock, {
    contentType: JSON_TYPE,
    metadata: { [SIGNATURE_METADATA]: Buffer.from(signature).toString('base64') },
  });
  // What stands may be the same document under the signature of another sealer.
  return openDigest(version, streams);
}

/**
 * Ends the writing of a digest: sends it to the anchor and puts its signature beside it. The signature comes last, so
 * that a digest without one was perhaps not sent either.
 * @returns false when the anchor did not take it, which never stops the chain
 */
export async function settleDigest(
  { digest, sha256, signature }: StandingDigest,
  dependencies: DigestDependencies,
): Promise<boolean> {
  const { anchor, vault } = dependencies;
  const { location, number, from, to } = digest;
  let isSent = true;
  try {
    await anchor?.publish({ ...location, number, from, to, sha256, signature });
  } catch {
    isSent = false;
    const about = { plane: 'store', subject: location.key, at: to, runKeys: [] } as const;
    await recordFinding(
      openFinding('anchor_failed', { ...about, detail: { number } }),
      dependencies,
    );
  }
  await vault.putBytes(
    besideDigest(location.key, 'signature'),
    Buffer.from(signature),
    chainLock(dependencies),
    { contentType: TEXT },
  );
  return isSent;
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
  { members, late }: DigestContent,
  dependencies: DigestDependencies,
): Promise<ReadObject[]> {
  const lateNames = new Set(late.map(versionName));
  const versions = [...members, ...late].sort(byKey);
  const read = await mapConcurrently(versions, OBJECTS_AT_ONCE, async (version) => {
    const object = await readObject(version, dependencies.streams);
    return lateNames.has(versionName(version))
      ? { ...object, sealed: { ...object.sealed, late: true as const } }
      : object;
  });
  for (const { isUnreadable, sealed } of read) {
    if (isUnreadable)
      await report('evidence_unreadable', versionName(sealed), sealed, dependencies);
  }
  return read;
}

/** Reports versions that should not be: a second one of a key, or a delete marker. */
export async function reportIrregular(
  versions: readonly ListedVersion[],
  dependencies: RecordDependencies,
): Promise<void> {
  for (const ofKey of groupBy(versions, ({ key }) => key).values()) {
    for (const marker of ofKey.filter(({ deleteMarker }) => deleteMarker)) {
      await report('delete_marker_present', versionName(marker), marker, dependencies);
    }
    const objects = ofKey.filter(({ deleteMarker }) => !deleteMarker);
    if (objects.length < 2) continue;
    const last = objects.reduce((a, b) => (b.lastModified > a.lastModified ? b : a));
    const detail = { versions: objects.length };
    await report('second_version', `${last.bucket}/${last.key}`, last, dependencies, detail);
  }
}

/** Reports what lies among the digests and is none of ours. */
export async function reportForeign(
  versions: readonly ListedVersion[],
  dependencies: RecordDependencies,
): Promise<void> {
  for (const version of versions) {
    await report('foreign_digest', versionName(version), version, dependencies);
  }
}

/** Dated by what it is about, so that a run which sees the same again writes nothing. */
async function report(
  kind: 'delete_marker_present' | 'evidence_unreadable' | 'foreign_digest' | 'second_version',
  subject: string,
  { lastModified: at }: { readonly lastModified: string },
  dependencies: RecordDependencies,
  detail: Readonly<Record<string, number>> = {},
): Promise<void> {
  const finding = openFinding(kind, { plane: 'store', subject, at, runKeys: [], detail });
  await recordFinding(finding, dependencies);
}

function byKey(a: ObjectVersion, b: ObjectVersion): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.versionId < b.versionId ? -1 : Number(a.versionId > b.versionId);
}

/**
 * A sealer that ended behind its leaves may have seen other late objects: its leaves stay what they are, and ours
 * stand beside them under a name of their own. The digest says which are its.
 */
async function putLeaves(
  key: string,
  leaves: Buffer,
  lock: Lock,
  vault: ChainVault,
): Promise<Digest['leaves']> {
  const sha256 = sha256Hex(leaves);
  const usual = besideDigest(key, 'leaves');
  const description = { contentType: BINARY };
  try {
    await vault.putBytes(usual, leaves, lock, description);
    return { key: usual, sha256 };
  } catch (error) {
    if (!isConflict(error)) throw error;
    const own = usual.replace(/\.leaves$/, `-${sha256.slice(0, 16)}.leaves`);
    await vault.putBytes(own, leaves, lock, description);
    return { key: own, sha256 };
  }
}
