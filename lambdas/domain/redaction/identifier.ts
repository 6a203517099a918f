import { endOfRun, isDigit, isSpace } from './characters.ts';
import { hasLuhnDigit } from './checksums/luhn.ts';
import { scanText } from './scan-text.ts';
import { endOfUuid } from './secret-shapes.ts';
import { isSqlLike } from './sql-like.ts';

/** Longer than any database lets a name be. */
const MAX_IDENTIFIER_CHARACTERS = 128;
/** A date has eight, an hour behind it two more; a phone or national number has nine. */
const MIN_NUMBER_DIGITS = 9;
/** The shortest payment card number. */
const MIN_CARD_DIGITS = 12;

/**
 * Whether the name of a table, column or collection is data: an address, a number of a person, a
 * UUID, a URL, a path, or more than a name. Eight digits are a date and stay.
 */
export function needsPseudonym(identifier: string): boolean {
  if (identifier.length > MAX_IDENTIFIER_CHARACTERS) return true;
  let hasSpace = false;
  let hasDigit = false;
  let digits = '';
  for (let at = 0; at < identifier.length; at++) {
    const code = identifier.charCodeAt(at);
    if (code === 64 || code === 47) return true;
    if (isSpace(code)) hasSpace = true;
    else if (isDigit(code)) {
      const end = endOfRun(identifier, at, isDigit);
      if (end - at >= MIN_NUMBER_DIGITS) return true;
      hasDigit = true;
      digits += identifier.slice(at, end);
      at = end - 1;
    } else if (code !== 45 && code !== 46) {
      if (isCardLike(digits)) return true;
      digits = '';
    }
  }
  if ((hasSpace && hasDigit) || isCardLike(digits)) return true;
  return (hasDigit && hasUuid(identifier)) || scanText(identifier) !== undefined;
}

/** Groups of digits that add up to a card number. */
function isCardLike(digits: string): boolean {
  return digits.length >= MIN_CARD_DIGITS && hasLuhnDigit(digits);
}

function hasUuid(identifier: string): boolean {
  for (let at = 0; at + 36 <= identifier.length; at++) {
    if (endOfUuid(identifier, at) !== undefined) return true;
  }
  return false;
}

/** What statements have and titles do not: a job may be called "Copy to S3". */
const MORE_THAN_A_TITLE = /[=*'"`;(),\n]|\bwhere\b/i;

/**
 * The same for a name that lineage is joined on, which may be a path or a URL: only what a detector
 * is sure of, or a statement in the place of a name.
 */
export function needsPseudonymInPath(name: string): boolean {
  return scanText(name) !== undefined || (MORE_THAN_A_TITLE.test(name) && isSqlLike(name));
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
