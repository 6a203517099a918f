import { isDataName, LONGEST_NAME } from '../identifier.ts';
import { endOfSecret } from '../secret-shapes.ts';

/** A national number with letters has six. */
const FEWEST_DIGITS = 6;
const SHORTEST_NUMBER = 9;
/** Of the tokens that have a head of their own. */
const SHORTEST_TOKEN = 16;

/** Whether a bare word is worth a closer look: for most it takes no more than their length. */
export function mayBeData(text: string, start: number, end: number): boolean {
  if (end - start < SHORTEST_NUMBER) return false;
  if (end - start > LONGEST_NAME) return true;
  if (end - start >= SHORTEST_TOKEN && endOfSecret(text, start) !== undefined) return true;
  let digits = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57 && ++digits >= FEWEST_DIGITS) return true;
  }
  return false;
}

const PSEUDONYM = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Whether a text may stand where a name stood, and would be kept when it is redacted again. */
export function isPseudonym(text: string): boolean {
  return PSEUDONYM.test(text) && !isDataName(text);
}
