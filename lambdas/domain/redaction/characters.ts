/** Classes of UTF-16 code units. Everything beyond ASCII counts as a letter: names are not English only. */
const DIGIT = 1;
const LETTER = 2;
const SPACE = 4;

const CLASS = new Uint8Array(128);
for (const code of range('0', '9')) CLASS[code] = DIGIT;
for (const code of [...range('a', 'z'), ...range('A', 'Z')]) CLASS[code] = LETTER;
for (const space of ' \t\r\n\f\v') CLASS[space.charCodeAt(0)] = SPACE;

function classOf(code: number): number {
  if (code < 128) return CLASS[code] as number;
  return code === 0xa0 || code === 0xfeff || code === 0x2028 || code === 0x2029 ? SPACE : LETTER;
}

/** False for NaN, which `charCodeAt` gives beyond the end; so are the others. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isSpace = (code: number): boolean => code >= 0 && classOf(code) === SPACE;
export const isAlphanumeric = (code: number): boolean =>
  code >= 0 && (classOf(code) & (DIGIT | LETTER)) !== 0;
/** May stand in a word: a letter, a digit or `_`. */
export const isWordPart = (code: number): boolean => code === 95 || isAlphanumeric(code);

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
