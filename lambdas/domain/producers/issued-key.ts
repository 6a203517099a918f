import { composeBearerKey } from './bearer-key.ts';

/** A key of a producer as everybody may see it: neither the secret nor its hash. */
export interface IssuedKey {
  readonly keyId: string;
  /** RFC 3339 UTC. */
  readonly issuedAt: string;
  /** RFC 3339 UTC; absent while nothing ends it. */
  readonly validUntil?: string;
}

/** A new key: what is shown once, and what everybody may see of it. */
export interface NewKey {
  readonly key: string;
  readonly shown: IssuedKey;
}

/** Answers letters and digits from a cryptographic source. */
export type RandomText = (alphabet: string, length: number) => string;

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const ID_CHARACTERS = 12;
/** 32 of 62 letters: 190 bits. */
const SECRET_CHARACTERS = 32;

export function issueKey(epochMillis: number, randomText: RandomText): NewKey {
  const keyId = randomText(ID_ALPHABET, ID_CHARACTERS);
  const key = composeBearerKey(keyId, randomText(SECRET_ALPHABET, SECRET_CHARACTERS));
  return { key, shown: { keyId, issuedAt: new Date(epochMillis).toISOString() } };
}

export function isValidAt(
  { validUntil }: Pick<IssuedKey, 'validUntil'>,
  epochMillis: number,
): boolean {
  return validUntil === undefined || Date.parse(validUntil) > epochMillis;
}

/** The key with an end, unless it ends before that anyway. */
export function endingAt(key: IssuedKey, epochMillis: number): IssuedKey {
  return isValidAt(key, epochMillis)
    ? { ...key, validUntil: new Date(epochMillis).toISOString() }
    : key;
}
