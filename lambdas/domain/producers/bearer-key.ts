import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const KEY = /^ev_([0-9a-z]{12})_([0-9A-Za-z]{32,64})_([0-9a-f]{8})$/;

/** A bearer key that has the right form; whether it is known is the registry's word. */
export interface BearerKey {
  readonly id: string;
  /** The whole key as presented. */
  readonly presented: string;
}

/** Composes `ev_<id>_<secret>_<crc>`. The checksum lets a mistyped key be refused without a look-up. */
export function composeBearerKey(id: string, secret: string): string {
  const body = `ev_${id}_${secret}`;
  return `${body}_${checksum(body)}`;
}

/** Checks form and checksum; undefined when either is wrong. */
export function readBearerKey(presented: string): BearerKey | undefined {
  const parts = KEY.exec(presented);
  if (!parts) return undefined;
  const [, id, , crc] = parts as unknown as [string, string, string, string];
  if (checksum(presented.slice(0, -crc.length - 1)) !== crc) return undefined;
  return { id, presented };
}

/** What the registry keeps of a key: hex SHA-256. The secret has 190 bits, so the hash needs no salt. */
export function bearerKeyHash(presented: string): string {
  return hash('sha256', presented);
}

/** Compares a presented key with a stored hash in constant time. */
export function matchesKeyHash(presented: string, keyHash: string): boolean {
  const actual = Buffer.from(bearerKeyHash(presented));
  const expected = Buffer.from(keyHash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
