import { scanText } from './scan-text.ts';
import { endOfSecret } from './secret-shapes.ts';
import { isSqlLike } from './sql-like.ts';

/** Longer names are data: no database takes them. */
export const LONGEST_NAME = 128;
/** Shorter ones of letters alone are no token, and what most names are. */
const WORD = /^[\p{L}_$]{0,15}$/u;
/** What no name has: quotes, the signs of addresses, paths and patterns. */
const STRANGE = /['"`\\;{}@/|*?~^\p{Cc}]|--|\$\$|:\/\//u;
/** `Order 66`, but not `sales 2024`. */
const SPACED_DIGITS = /\s.*\d|\d.*\s/;
const YEAR = /\b20\d\d\b/g;
/** Digits with single separators as in a number of a card, a person or a telephone; a date with an underscore is none. */
const GROUPED_DIGITS = /\d(?:[ .-]?\d){8}/;
/** Nine digits and more, as a name writes groups of them. */
const UNDERSCORED_DIGITS = /\d(?:_?\d){8,37}/g;
const UUID = /[\da-f]{8}(?:[-_]?[\da-f]{4}){3}[-_]?[\da-f]{12}/i;

/**
 * Whether the name of a table, a column or a collection says more than a name: an address, a number of
 * a person, a token, a UUID, a path. The one answer for statements, errors and facets, so that a name
 * goes or stays wherever it stands. Eight digits are a date and stay.
 */
export function isDataName(name: string): boolean {
  if (WORD.test(name)) return false;
  if (name.length > LONGEST_NAME || STRANGE.test(name)) return true;
  if (endOfSecret(name, 0) !== undefined) return true;
  if (/\d/.test(name)) {
    if (SPACED_DIGITS.test(name.replace(YEAR, ''))) return true;
    if (GROUPED_DIGITS.test(name) || UUID.test(name) || hasUnderscoredNumber(name)) return true;
  }
  return scanText(name) !== undefined;
}

/** `4111_1111_1111_1111`, which is proven as it would be with dashes; most such digits are a date and an hour. */
function hasUnderscoredNumber(name: string): boolean {
  const groups = name.match(UNDERSCORED_DIGITS) ?? [];
  // without a `_` it stands as it is, and the scan of the whole name has seen it: in a UUID it is no number
  return groups.some(
    (group) => group.includes('_') && scanText(group.replaceAll('_', '-')) !== undefined,
  );
}

/** What statements have and titles do not: a job may be called "Copy to S3". */
const MORE_THAN_A_TITLE = /[=*'"`;(),\n]|\bwhere\b/i;

/**
 * The same for a name that lineage is joined on, which may be a path or a URL: only what a detector
 * is sure of, or a statement in the place of a name.
 */
export function isDataNameInPath(name: string): boolean {
  if (scanText(name) !== undefined || hasUnderscoredNumber(name)) return true;
  return MORE_THAN_A_TITLE.test(name) && isSqlLike(name);
}

/** 64 bits: two of a million names meet with a chance of 1 in 10^7. */
const PSEUDONYM_BYTES = 8;

/**
 * `id_` and sixteen letters: the same for the same identifier under the same key, so that joins hold.
 * Letters only, as digits could make a number that is taken for data again.
 * @param keyedHash HMAC-SHA-256 of a text under a key of the environment
 */
export function pseudonym(identifier: string, keyedHash: (text: string) => Uint8Array): string {
  let name = 'id_';
  for (const byte of keyedHash(identifier).subarray(0, PSEUDONYM_BYTES)) {
    name += String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15));
  }
  return name;
}
