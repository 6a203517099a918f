import { hash } from 'node:crypto';

const LENGTH_BYTES = 4;
const UNIT_BYTES = 2;

/**
 * Key of a stream partition, a table item or an index: hex SHA-256 over the parts, each behind its
 * length, so that no two lists of parts meet in one key whatever characters they hold.
 */
export function storeKey(...parts: readonly string[]): string {
  // UTF-16, because UTF-8 has one replacement for every lone surrogate, and JSON can spell them all.
  const bytes = Buffer.allocUnsafe(
    parts.reduce((sum, part) => sum + LENGTH_BYTES + part.length * UNIT_BYTES, 0),
  );
  let at = 0;
  for (const part of parts) {
    at = bytes.writeUInt32BE(part.length * UNIT_BYTES, at);
    at += bytes.write(part, at, 'utf16le');
  }
  return sha256Hex(bytes);
}

/** Hex SHA-256 of bytes that were already redacted: an unkeyed hash never covers anything else. */
export function sha256Hex(bytes: string | Uint8Array): string {
  return hash('sha256', bytes);
}
