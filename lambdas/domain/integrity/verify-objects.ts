import { mapConcurrently } from '../concurrency.ts';
import { sha256Hex } from '../store-key.ts';
import type { SealedObject } from './digest.ts';
import { HASH_BYTES, rootOf } from './merkle.ts';
import type { WalkedDigest } from './verify-chain.ts';
import type { ReportDamage } from './verify-damage.ts';
import { shortLock } from './verify-lock.ts';
import type { Suspects } from './verify-moves.ts';
import { contentDamage, type HeldObject, holdObject, lockDamage } from './verify-object.ts';
import { readWhole, type SealedStore } from './verify-store.ts';

/** Enough to wait for several answers at once; each may hold an object in memory. */
const OBJECTS_IN_FLIGHT = 4;
/** Leaves of 16 million records: more in one interval than a digest can list objects for. */
const MAX_LEAVES_BYTES = 16 * 1024 * 1024 * HASH_BYTES;

/** A record whose object is whole: enough for a proof that it was sealed. */
export interface CheckedObject {
  readonly walked: WalkedDigest;
  readonly object: SealedObject;
  readonly held: HeldObject;
  /** Of all records of the digest; undefined when they are not there or not intact. */
  readonly leaves: Buffer | undefined;
  /** Index of the object's first leaf among them. */
  readonly firstLeaf: number;
}

export interface ObjectCheck {
  readonly store: SealedStore;
  readonly covers: (object: SealedObject) => boolean;
  readonly report: ReportDamage;
  readonly suspects: Suspects;
  /** Called for each object that is there and that the sealer could not read: its content is not known. */
  readonly unread: (object: SealedObject) => void;
  /** Called for each object that is there, whole or not. */
  readonly present: (object: SealedObject, held: HeldObject) => void;
  /** Called for each object that is not there; whether it need not be, because its lock has ended. */
  readonly mayBeGone: (object: SealedObject) => boolean;
  /** Called for each object that is what was sealed. */
  readonly whole: (checked: CheckedObject) => void;
}

/** Compares what a proven digest sealed with what the store holds. */
export async function checkObjects(walked: WalkedDigest, check: ObjectCheck): Promise<void> {
  const { digest, key } = walked;
  const leaves = await sealedLeaves(walked, check);
  if (leaves && rootOf(leaves) !== digest.root) {
    check.report({ kind: 'malformed_digest', key, detail: 'its root is not that of its leaves' });
  }
  const placed: Array<{ object: SealedObject; firstLeaf: number }> = [];
  let firstLeaf = 0;
  for (const object of digest.objects) {
    if (check.covers(object)) placed.push({ object, firstLeaf });
    firstLeaf += object.records;
  }
  const found = await mapConcurrently(placed, OBJECTS_IN_FLIGHT, (place) =>
    checkObject({ walked, leaves, ...place }, check),
  );
  if (leaves || digest.leaves === null || found.length < digest.objects.length) return;
  // Without the leaves beside it, those of the stored lines must lead to the root.
  const stored = found.flatMap((part) => part ?? []);
  if (stored.length === found.length && rootOf(Buffer.concat(stored)) !== digest.root) {
    check.report({ kind: 'malformed_digest', key, detail: 'its root is not that of its records' });
  }
}

/** The leaves beside a digest, when they are the ones it sealed. */
async function sealedLeaves(
  { digest, leaves: version, isSettled }: WalkedDigest,
  { store, report, suspects }: ObjectCheck,
): Promise<Buffer | undefined> {
  if (!digest.leaves) return Buffer.alloc(0);
  const { key, sha256: sealed } = digest.leaves;
  const opened = version && (await store.open(key, version.versionId));
  if (!opened) {
    if (!isSettled) return undefined;
    const detail = 'the leaves beside a digest';
    suspects.add({ damage: { kind: 'missing_object', key, detail }, sealed });
    return undefined;
  }
  // Leaves may be those of a sealer that ended before this digest, and promised a little less.
  const short = shortLock('the leaves', undefined, opened.lock);
  if (short) report({ kind: 'retention_short', key, detail: short });
  const leaves = await readWhole(opened, MAX_LEAVES_BYTES);
  const found = leaves && sha256Hex(leaves);
  if (found === sealed && leaves?.length === digest.records * HASH_BYTES) return leaves;
  const damage =
    found === sealed
      ? ({ kind: 'malformed_digest', key, detail: 'not 32 bytes a record' } as const)
      : ({ kind: 'modified_object', key, detail: `sealed with SHA-256 ${sealed}` } as const);
  suspects.add({ damage, sealed, ...(found !== undefined && { found }) });
  return undefined;
}

/** Nobody could open it: it is compared with what a listing says, by its size and, where that is told, its ETag. */
async function checkUnread(
  { walked: { digest }, object }: Omit<CheckedObject, 'held'>,
  { store, report, unread, mayBeGone }: ObjectCheck,
): Promise<void> {
  const { key, versionId, bytes, etag } = object;
  const listed = await store.find(key, versionId);
  if (!listed) {
    // Its own lock could not be read either: no digest outlives what it seals by less than a year.
    const { retainUntil } = digest.lock ?? {};
    if (mayBeGone({ ...object, ...(retainUntil !== undefined && { retainUntil }) })) return;
    const detail = `sealed by its name and ${bytes} bytes, since it could not be read`;
    report({ kind: 'missing_object', key, versionId, detail });
    return;
  }
  unread(object);
  const isSameSize = listed.bytes === undefined || listed.bytes === bytes;
  const isSameTag = listed.etag === undefined || etag === undefined || listed.etag === etag;
  if (isSameSize && isSameTag) return;
  const detail = `sealed with ${bytes} bytes${etag === undefined ? '' : ` and ETag ${etag}`}`;
  report({ kind: 'modified_object', key, versionId, detail });
}

/** Answers the leaves of the stored lines when the object is what was sealed. */
async function checkObject(
  place: Omit<CheckedObject, 'held'>,
  check: ObjectCheck,
): Promise<Buffer | undefined> {
  const { store, report, suspects } = check;
  const { object, leaves, firstLeaf } = place;
  const { key, versionId, sha256: sealed } = object;
  if (object.unreadable) {
    await checkUnread(place, check);
    return Buffer.alloc(0);
  }
  const opened = await store.open(key, versionId);
  if (!opened) {
    if (check.mayBeGone(object)) return undefined;
    const detail = `sealed with SHA-256 ${sealed}`;
    suspects.add({ damage: { kind: 'missing_object', key, versionId, detail }, sealed });
    return undefined;
  }
  const held = await holdObject(key, opened, object.records);
  check.present(object, held);
  const shortened = lockDamage(object, held.lock);
  if (shortened) report(shortened);
  const own = leaves?.subarray(firstLeaf * HASH_BYTES, (firstLeaf + object.records) * HASH_BYTES);
  const damage = contentDamage(object, held, own);
  if (damage?.kind === 'malformed_digest') report(damage);
  else if (damage) suspects.add({ damage, sealed, found: held.sha256 });
  else check.whole({ ...place, held });
  return damage ? undefined : (held.records?.leaves ?? Buffer.alloc(0));
}
