import { createHash } from 'node:crypto';
import { leafOf, MAX_STORED_BYTES, readLines } from '../evidence/evidence-object.ts';
import { holdsRecords, type SealedObject } from './digest.ts';
import { HASH_BYTES } from './merkle.ts';
import type { Damage } from './verify-damage.ts';
import { shortLock } from './verify-lock.ts';
import type { OpenedObject } from './verify-store.ts';

/** Enough to see what happened; all are counted. */
const MAX_NAMED_LINES = 20;

/** What an object really holds. */
export interface HeldObject {
  readonly sha256: string;
  readonly bytes: number;
  readonly lock: OpenedObject['lock'];
  /** Of an object that was sealed with records, unless its bytes hold none. */
  readonly records?: { readonly lines: readonly Buffer[]; readonly leaves: Buffer };
}

/**
 * Reads an object once: its hash as it streams, and the leaves of what was sealed as evidence of records. What the sealer
 * found no lines of ours in has no leaves, whatever it holds: its bytes alone were sealed, and a finding tells it.
 * @param sealedRecords that its digest lists of it; none where it is asked for its bytes only
 */
export async function holdObject(
  key: string,
  opened: OpenedObject,
  sealedRecords = 0,
): Promise<HeldObject> {
  const keeps = holdsRecords(key) && sealedRecords > 0;
  const hash = createHash('sha256');
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of opened.chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    if (keeps && bytes <= MAX_STORED_BYTES) kept.push(chunk);
  }
  const records =
    keeps && bytes <= MAX_STORED_BYTES ? recordsIn(Buffer.concat(kept, bytes)) : undefined;
  return { sha256: hash.digest('hex'), bytes, lock: opened.lock, ...(records && { records }) };
}

function recordsIn(gzip: Buffer): HeldObject['records'] {
  try {
    const lines = [...readLines(gzip)];
    const leaves = Buffer.allocUnsafe(lines.length * HASH_BYTES);
    for (const [at, line] of lines.entries()) leafOf(line).copy(leaves, at * HASH_BYTES);
    return { lines, leaves };
  } catch {
    return undefined; // no gzip, cut short, too much of it, or empty
  }
}

/**
 * What is wrong with the content of an object.
 * @param sealedLeaves its part of the leaves of the digest; undefined when those are not there or not intact
 */
export function contentDamage(
  sealed: SealedObject,
  held: HeldObject,
  sealedLeaves: Buffer | undefined,
): Damage | undefined {
  const { key, versionId } = sealed;
  const leaves = held.records?.leaves;
  const isIntact = held.sha256 === sealed.sha256;
  if (isIntact && held.bytes !== sealed.bytes) {
    return { kind: 'malformed_digest', key, versionId, detail: 'it was sealed with another size' };
  }
  if (!holdsRecords(key)) return isIntact ? undefined : otherBytes(sealed);
  const lines = leaves && sealedLeaves ? differingLines(leaves, sealedLeaves) : [];
  if (isIntact) {
    const count = (leaves?.length ?? 0) / HASH_BYTES;
    return count === sealed.records && lines.length === 0
      ? undefined
      : { kind: 'malformed_digest', key, versionId, detail: 'it was sealed with other lines' };
  }
  if (lines.length === 0) return otherBytes(sealed);
  const named = lines.slice(0, MAX_NAMED_LINES);
  const detail = `${lines.length} of ${sealed.records} sealed lines differ or are not there, or lines were added`;
  return { kind: 'modified_record', key, versionId, lines: named, detail };
}

function otherBytes({ key, versionId, sha256 }: SealedObject): Damage {
  return { kind: 'modified_object', key, versionId, detail: `sealed with SHA-256 ${sha256}` };
}

function differingLines(leaves: Buffer, sealed: Buffer): number[] {
  if (leaves.equals(sealed)) return [];
  const count = Math.max(leaves.length, sealed.length) / HASH_BYTES;
  return Array.from({ length: count }, (_, line) => line).filter(
    (line) => !leafAt(leaves, line).equals(leafAt(sealed, line)),
  );
}

/** Empty behind the last. */
function leafAt(leaves: Buffer, index: number): Buffer {
  return leaves.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}

/** Whether a lock is shorter or weaker than it was when it was sealed. */
export function lockDamage(sealed: SealedObject, lock: OpenedObject['lock']): Damage | undefined {
  const { key, versionId, mode, retainUntil } = sealed;
  if (retainUntil === undefined) return undefined;
  const detail = shortLock('it', { mode: mode ?? 'GOVERNANCE', retainUntil }, lock);
  return detail === undefined ? undefined : { kind: 'retention_short', key, versionId, detail };
}
