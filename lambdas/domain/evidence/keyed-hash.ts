import { createHmac } from 'node:crypto';

/** The secret of one HMAC epoch, unwrapped. Lives in memory only. */
export interface EpochKey {
  readonly epoch: number;
  readonly secret: Uint8Array;
}

/** Purposes are part of the hashed bytes, so that a tag for one is never a tag for another. */
type Purpose = 'received/1' | 'receipt/1' | 'identifier/1' | 'shape/1' | 'exact/1' | 'subject/1';

/** Hex HMAC-SHA-256 of bytes under an epoch key, for one purpose. */
export function keyedHash(key: EpochKey, purpose: Purpose, bytes: string | Uint8Array): string {
  return createHmac('sha256', key.secret).update(`${purpose}\0`).update(bytes).digest('hex');
}
