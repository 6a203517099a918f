import { createHash } from 'node:crypto';

/**
 * Key of a stream partition, a table item or an index: hex SHA-256 over the parts, each behind its
 * length, so that no two lists of parts meet in one key whatever characters they hold.
 */
export function storeKey(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    // UTF-16, because UTF-8 has one replacement for every lone surrogate, and JSON can spell them all.
    const units = Buffer.from(part, 'utf16le');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(units.length);
    hash.update(length).update(units);
  }
  return hash.digest('hex');
}

/** Hex SHA-256 of bytes that were already redacted: an unkeyed hash never covers anything else. */
export function sha256Hex(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
