import { endOfSecret } from '../secret-shapes.ts';

/** Longer names are data: no database takes them. */
const LONGEST_NAME = 128;
const MOST_DIGITS = 8;
/** Of the tokens that have a head of their own. */
const SHORTEST_TOKEN = 16;
const STRANGE = /['"`\\;{}@/|*?~^\p{Cc}]|--|\$\$|:\/\//u;
const SPACED_DIGITS = /\s.*\d|\d.*\s/;
/** Digits with single separators as in a number of a card, a person or a telephone. */
const GROUPED_DIGITS = /\d(?:[ .-]?\d){8}/;
const UUID = /[\da-f]{8}(?:[-_]?[\da-f]{4}){3}[-_]?[\da-f]{12}/i;

/** Whether the text of a name says more than a name: an address, a number of a person, a path. */
export function isData(name: string): boolean {
  if (name.length > LONGEST_NAME) return true;
  if (STRANGE.test(name) || endOfSecret(name, 0) !== undefined) return true;
  if (!/\d/.test(name)) return false;
  return SPACED_DIGITS.test(name) || GROUPED_DIGITS.test(name) || UUID.test(name);
}

/** Whether a bare word is worth a closer look. */
export function mayBeData(text: string, start: number, end: number): boolean {
  if (end - start <= MOST_DIGITS) return false;
  if (end - start > LONGEST_NAME) return true;
  if (end - start >= SHORTEST_TOKEN && endOfSecret(text, start) !== undefined) return true;
  let digits = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57 && ++digits > MOST_DIGITS) return true;
  }
  return false;
}

const PSEUDONYM = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Whether a text may stand where a name stood, and would be kept when it is redacted again. */
export function isPseudonym(text: string): boolean {
  return PSEUDONYM.test(text) && !isData(text);
}
