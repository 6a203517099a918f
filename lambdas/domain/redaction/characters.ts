import { foldedCharacter } from './folded-character.ts';

/** Classes of UTF-16 code units. Everything beyond ASCII counts as a letter: names are not English only. */
export const DIGIT = 1;
const LETTER = 2;
export const UNDERSCORE = 4;
/** May stand in a word. */
export const WORD = DIGIT | LETTER | UNDERSCORE;
const SPACE = 8;
/** Punctuation that a find may begin or end at. */
export const MARK = 16;
/** Stands for another character, such as a digit of another script. */
export const ODD = 32;

const CLASS = new Uint8Array(128);
for (const code of range('0', '9')) CLASS[code] = DIGIT;
for (const code of [...range('a', 'z'), ...range('A', 'Z')]) CLASS[code] = LETTER;
for (const space of ' \t\r\n\f\v') CLASS[space.charCodeAt(0)] = SPACE;
for (const mark of '@[-$~%\\&') CLASS[mark.charCodeAt(0)] = MARK;
CLASS[95] = UNDERSCORE;

/** Filled as characters come up; 0 is one that has not. */
const WIDE_CLASS = new Uint8Array(0x10000);

/** The classes of a code unit as bits; 0 for NaN, which `charCodeAt` gives beyond the end. */
export function classOf(code: number): number {
  if (code < 128) return CLASS[code] as number;
  return code >= 128 ? WIDE_CLASS[code] || learnClass(code) : 0;
}

function learnClass(code: number): number {
  const char = String.fromCharCode(code);
  const isOdd = isOddSurrogate(code) || foldedCharacter(char) !== char;
  const found = (/\s/.test(char) ? SPACE : LETTER) | (isOdd ? ODD : 0);
  WIDE_CLASS[code] = found;
  return found;
}

/** Before digits and letters in mathematical type, and before invisible tags. */
function isOddSurrogate(code: number): boolean {
  return code === 0xd835 || code === 0xdb40;
}

/** False for NaN; so are the others. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isSpace = (code: number): boolean => (classOf(code) & SPACE) !== 0;
export const isAlphanumeric = (code: number): boolean => (classOf(code) & (DIGIT | LETTER)) !== 0;
/** May stand in a word: a letter, a digit or `_`. */
export const isWordPart = (code: number): boolean => (classOf(code) & WORD) !== 0;

/** Offset of the first code unit from `at` on that is not of a class, at most `limit` further. */
export function endOfRun(
  text: string,
  at: number,
  is: (code: number) => boolean,
  limit = Number.POSITIVE_INFINITY,
): number {
  const stop = Math.min(text.length, at + limit);
  let end = at;
  while (end < stop && is(text.charCodeAt(end))) end++;
  return end;
}

function range(first: string, last: string): number[] {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
