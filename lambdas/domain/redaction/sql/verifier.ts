/** Quotes of all kinds: in code there is none but those of a name. */
const NEVER = new Set([..."'‘’‚‛“”„‟′″‹›«»＇＂"].map((quote) => quote.charCodeAt(0)));
const PAIRS = new Set(['--', '/*', '*/', '{{', '{%', '{#', '$$']);
const MAX_PARAMETER_DIGITS = 5;
const LONGEST_NAME = 128;
const MOST_DIGITS_IN_A_ROW = 8;
const BEYOND_ASCII = 128;
const [HARMLESS, LETTER, DIGIT, FIRST_OF_PAIR, QUOTE, BRACKET, FORBIDDEN, BACKSLASH] = [
  0, 1, 2, 3, 4, 5, 6, 7,
] as const;
const KINDS = kinds();

/**
 * A second opinion on what is about to be stored: a plain walk over the output that shares no code with
 * the lexer. It knows nothing of dialects, only what may never stand in redacted text: a string, a
 * number that is no parameter, a comment, a template, a name that does not end or says too much.
 */
export function isClean(output: string): boolean {
  let at = 0;
  while (at < output.length) {
    const kind = kindOf(output.charCodeAt(at));
    if (kind === HARMLESS) at++;
    else if (kind === LETTER) {
      const end = endOfWord(output, at);
      if (end === -1) return false;
      at = end;
    } else if (kind === DIGIT) {
      if (output[at - 1] !== '$') return false;
      const start = at;
      while (kindOf(output.charCodeAt(at)) === DIGIT) at++;
      if (at - start > MAX_PARAMETER_DIGITS) return false;
    } else if (kind === FIRST_OF_PAIR) {
      if (PAIRS.has(output.slice(at, at + 2))) return false;
      at++;
    } else if (kind === QUOTE) {
      const end = endOfQuoted(output, at + 1, output.charCodeAt(at));
      if (end === -1) return false;
      at = end + 1;
    } else if (kind === BRACKET) {
      // A name to some dialects, a subscript to others: then what is in it is looked at as everything is.
      at = Math.max(endOfQuoted(output, at + 1, CLOSING_BRACKET), at) + 1;
    } else if (kind === BACKSLASH && output[at + 1] === '.') at += 2;
    else return false;
  }
  return true;
}

const CLOSING_BRACKET = 93;

/** Offset behind a word; -1 for one that no database would take for a name. */
function endOfWord(output: string, start: number): number {
  let digits = 0;
  let at = start;
  for (; at < output.length; at++) {
    const kind = kindOf(output.charCodeAt(at));
    if (kind === LETTER) digits = 0;
    else if (kind !== DIGIT) break;
    else if (++digits > MOST_DIGITS_IN_A_ROW) return -1;
  }
  return at - start > LONGEST_NAME ? -1 : at;
}

/** Offset of the quote that ends a name; -1 when it holds what names do not, or does not end. */
function endOfQuoted(output: string, start: number, close: number): number {
  let digits = 0;
  for (let at = start; at < output.length && at - start <= LONGEST_NAME; at++) {
    const code = output.charCodeAt(at);
    if (code === close) return close === CLOSING_BRACKET && !hasLetter(output, start, at) ? -1 : at;
    const kind = kindOf(code);
    if (kind === DIGIT) {
      if (++digits > MOST_DIGITS_IN_A_ROW) return -1;
    } else if (kind === HARMLESS || kind === LETTER || kind === FIRST_OF_PAIR) {
      if (code === SEMICOLON || (code === COMMA && close === CLOSING_BRACKET)) return -1;
      digits = 0;
    } else return -1;
  }
  return -1;
}

const COMMA = 44;
const SEMICOLON = 59;

function hasLetter(output: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (kindOf(output.charCodeAt(at)) === LETTER) return true;
  return false;
}

function kindOf(code: number): number {
  if (code < BEYOND_ASCII) return KINDS[code] as number;
  return NEVER.has(code) ? FORBIDDEN : LETTER;
}

function kinds(): Uint8Array {
  const table = new Uint8Array(BEYOND_ASCII);
  const mark = (characters: string, kind: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', LETTER);
  mark('0123456789', DIGIT);
  mark('-/*{$', FIRST_OF_PAIR);
  mark('"`', QUOTE);
  mark('[', BRACKET);
  mark("'\0", FORBIDDEN);
  mark('\\', BACKSLASH);
  return table;
}
