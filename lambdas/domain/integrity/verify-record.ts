import { type RecordProof, recordProof } from './record-proof.ts';
import type { CheckedObject } from './verify-objects.ts';

/** Proofs of the lines of an object that stand under a receipt; a trace export may have several. */
export function proofsIn(checked: CheckedObject, receiptId: string): RecordProof[] {
  const { walked, object, held, leaves, firstLeaf } = checked;
  const { signature } = walked;
  if (!held.records || !leaves || signature === undefined) return [];
  const start = startOfLine(receiptId);
  const { bucket, key, versionId } = object;
  return held.records.lines.flatMap((line, at) => {
    if (!line.subarray(0, start.length).equals(start)) return [];
    const record = { receiptId, object: { bucket, key, versionId, line: at } };
    return recordProof(record, firstLeaf + at, leaves, { ...walked, signature });
  });
}

/** An envelope begins with its receipt, in this order of members (createEnvelope). */
function startOfLine(receiptId: string): Buffer {
  return Buffer.from(`{"evidence":1,"receiptId":${JSON.stringify(receiptId)},`);
}
