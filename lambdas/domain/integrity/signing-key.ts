import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fingerprintOf } from './digest.ts';

/** A P-256 key in PEM takes 178 bytes. */
export const MAX_KEY_BYTES = 16 * 1024;

/** A public key that digests may be signed with. */
export interface SigningKey {
  readonly fingerprint: string;
  readonly key: KeyObject;
}

/** A P-256 public key in PEM, or undefined for anything else. */
export function readPublicKey(pem: Buffer): SigningKey | undefined {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined;
    return { key, fingerprint: fingerprintOf(key.export({ type: 'spki', format: 'der' })) };
  } catch {
    return undefined;
  }
}

/** One signature has one text: what else decodes to it was changed. */
export function isSignedBy(key: KeyObject, bytes: Buffer, signature: string): boolean {
  const der = Buffer.from(signature, 'base64');
  return der.toString('base64') === signature && verify('sha256', bytes, key, der);
}
