/** What a character can begin in code. One table look-up a character keeps the lexer fast. */
export const SPACE = 1;
export const LETTER = 2;
export const DIGIT = 3;
const OPERATOR = 4;
/** Has a method of its own in the lexer. */
export const SPECIAL = 5;
/** Never stands in code: NUL and other control characters. */
export const FOREIGN = 6;

export const CLASS_OF_ASCII = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(128).fill(OPERATOR);
  table.fill(FOREIGN, 0, 32).fill(FOREIGN, 127);
  const mark = (characters: string, kind: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  mark(' \t\n\r\f\v', SPACE);
  mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', LETTER);
  mark('0123456789', DIGIT);
  mark('\'"`-/#$[{@;\\*.:', SPECIAL);
  return table;
}

const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;
const WIDE_SPACE = /^[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\uFEFF]$/;
/** Full-width and half-width forms: they turn into ASCII under NFKC, quotes and digits included. */
const FORMS_START = 0xff00;
const FORMS_END = 0xffef;

/**
 * The class of a code point beyond ASCII. Everything that is neither a letter nor a space is
 * foreign: typographic quotes, digits of other scripts, line separators, lone surrogates.
 */
export function classBeyondAscii(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (WIDE_SPACE.test(character)) return SPACE;
  if (codePoint >= FORMS_START && codePoint <= FORMS_END) return FOREIGN;
  return LETTER_OR_MARK.test(character) ? LETTER : FOREIGN;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters, digits, underscore and dollar. */
export function isWordCode(code: number): boolean {
  if (code >= 128) return false;
  const kind = CLASS_OF_ASCII[code];
  return kind === LETTER || kind === DIGIT || code === 36;
}

export function isSpaceCode(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
