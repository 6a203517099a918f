import { inclusionPath, type ProofStep } from './merkle.ts';
import type { CheckedObject } from './verify-objects.ts';

/** What shows, with SHA-256 and the signer's public key alone, that one record was sealed. */
export interface RecordProof {
  readonly receiptId: string;
  /** 0-based line of the object. */
  readonly object: { bucket: string; key: string; versionId: string; line: number };
  /** Hex SHA-256 of 0x00 and the line. */
  readonly leaf: string;
  readonly index: number;
  readonly leaves: number;
  /** From the leaf to the root. */
  readonly path: readonly ProofStep[];
  readonly root: string;
  readonly digest: {
    readonly key: string;
    readonly number: number;
    readonly from: string;
    readonly to: string;
    readonly sha256: string;
    readonly signature: string | undefined;
    readonly fingerprint: string;
  };
}

/** Proofs of the lines of an object that stand under a receipt; a trace export may have several. */
export function proofsIn(checked: CheckedObject, receiptId: string): RecordProof[] {
  const { walked, object, held, leaves, firstLeaf } = checked;
  if (!held.records || !leaves) return [];
  const start = startOfLine(receiptId);
  return held.records.lines.flatMap((line, at) => {
    if (!line.subarray(0, start.length).equals(start)) return [];
    const index = firstLeaf + at;
    const { digest, key, sha256, signature } = walked;
    const { bucket, versionId } = object;
    return {
      receiptId,
      object: { bucket, key: object.key, versionId, line: at },
      leaf: leaves.subarray(index * 32, (index + 1) * 32).toString('hex'),
      index,
      leaves: digest.records,
      path: inclusionPath(leaves, index),
      root: digest.root,
      digest: {
        ...{ key, number: digest.number, from: digest.from, to: digest.to, sha256, signature },
        fingerprint: digest.signer.fingerprint,
      },
    };
  });
}

/** An envelope begins with its receipt, in this order of members (createEnvelope). */
function startOfLine(receiptId: string): Buffer {
  return Buffer.from(`{"evidence":1,"receiptId":${JSON.stringify(receiptId)},`);
}
