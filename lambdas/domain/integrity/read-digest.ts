import type { ObjectVersion } from '../evidence/ports.ts';
import { type Digest, isPlaceOf, type SealedObject } from './digest.ts';

/**
 * The digest that bytes are, as far as sealing and proving rely on it; undefined for what is none, or belongs elsewhere.
 * Whether it is sound in all of its parts is for the verifier to say (`checkDigest`).
 */
export function readDigest(
  bytes: Uint8Array,
  { bucket, key }: Pick<ObjectVersion, 'bucket' | 'key'>,
): Digest | undefined {
  const value = parse(bytes);
  if (!isDigest(value)) return undefined;
  const { location, from } = value;
  const isInPlace = location.bucket === bucket && location.key === key && isPlaceOf(key, from);
  return isInPlace ? value : undefined;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined; // what the parser says quotes its input
  }
}

function isDigest(value: unknown): value is Digest {
  const { digest, from, to, number, location, signer, objects, leaves } = (value ??
    {}) as Partial<Digest>;
  return (
    digest === 1 &&
    typeof location?.key === 'string' &&
    typeof signer?.fingerprint === 'string' &&
    Number.isSafeInteger(number) &&
    Date.parse(from ?? '') < Date.parse(to ?? '') &&
    (leaves === null || leaves === undefined || typeof leaves.key === 'string') &&
    Array.isArray(objects) &&
    objects.every(isObject)
  );
}

/** What readers take from an object without another look. */
function isObject(value: unknown): value is SealedObject {
  const { bucket, key, versionId, lastModified, records, retainUntil } = (value ??
    {}) as Partial<SealedObject>;
  return (
    [bucket, key, versionId].every((name) => typeof name === 'string') &&
    isInstant(lastModified) &&
    (retainUntil === undefined || isInstant(retainUntil)) &&
    Number.isSafeInteger(records) &&
    (records as number) >= 0
  );
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
