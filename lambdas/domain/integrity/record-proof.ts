import type { Location } from '../evidence/ports.ts';
import type { Digest } from './digest.ts';
import { HASH_BYTES, inclusionPath, type ProofStep } from './merkle.ts';

/** What shows, with SHA-256 and the signer's public key alone, that one record was sealed. */
export interface RecordProof {
  readonly receiptId: string;
  readonly traceId?: string;
  /** Where the line lies; `line` is 0-based. */
  readonly object: Location;
  /** Hex SHA-256 of 0x00 and the line without its newline. */
  readonly leaf: string;
  /** Of the leaf among all leaves of the digest. */
  readonly index: number;
  readonly leaves: number;
  /** From the leaf to the root. */
  readonly path: readonly ProofStep[];
  readonly root: string;
  readonly digest: {
    readonly key: string;
    /** Absent in a copy that does not know it. */
    readonly versionId?: string;
    readonly number: number;
    readonly from: string;
    readonly to: string;
    /** Hex, of the document's bytes: what is signed. */
    readonly sha256: string;
    /** Base64 (DER), verified. */
    readonly signature: string;
    /** Names the public key, `public-keys/<fingerprint>.pem`. */
    readonly fingerprint: string;
  };
}

/** A digest whose signature holds. */
export interface SealingDigest {
  readonly digest: Digest;
  readonly versionId?: string;
  readonly sha256: string;
  readonly signature: string;
}

/**
 * @param index of the leaf of the record among `leaves`, all those of the digest
 */
export function recordProof(
  record: Pick<RecordProof, 'receiptId' | 'traceId' | 'object'>,
  index: number,
  leaves: Buffer,
  { digest, versionId, sha256, signature }: SealingDigest,
): RecordProof {
  const { receiptId, traceId, object } = record;
  const { location, number, from, to, root, records, signer } = digest;
  return {
    receiptId,
    ...(traceId !== undefined && { traceId }),
    object,
    leaf: leafAt(leaves, index),
    index,
    leaves: records,
    path: inclusionPath(leaves, index),
    root,
    digest: {
      key: location.key,
      ...(versionId !== undefined && { versionId }),
      ...{ number, from, to, sha256, signature, fingerprint: signer.fingerprint },
    },
  };
}

/** Hex; empty behind the last. */
export function leafAt(leaves: Buffer, index: number): string {
  return leaves.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES).toString('hex');
}
