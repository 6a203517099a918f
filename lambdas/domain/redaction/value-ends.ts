import { endOfRun, isSpace, isWordPart } from './characters.ts';

/** Offset of the quote that ends a string, or the end of the text: doubled and escaped quotes do not end it. */
export function endOfString(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, start);
    return end === -1 ? text.length : end;
  }
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at;
      if (at === start) return at;
      at++;
    }
  }
  return text.length;
}

/** ODBC: a brace in a value in braces is doubled. */
export function endOfBraced(text: string, start: number): number {
  for (let at = text.indexOf('}', start); at !== -1; at = text.indexOf('}', at + 2)) {
    if (text[at + 1] !== '}') return at + 1;
  }
  return text.length;
}

/** Offset behind the bracket that closes the one here, or the end of the text. */
export function endOfBalanced(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

/** A value without quotes ends at a space or where the next pair begins: a password may have any punctuation in it. */
export function endOfBareValue(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isSpace(text.charCodeAt(end))) {
    if ('&;,'.includes(text[end] as string) && isPairAhead(text, end + 1)) break;
    end++;
  }
  while (end > start && '"\')]};,.>&'.includes(text[end - 1] as string)) end--;
  return end;
}

function isPairAhead(text: string, at: number): boolean {
  const start = endOfRun(text, at, isBlankOrQuote, 4);
  const end = endOfRun(text, start, isNamePart, 64);
  const sign = text[endOfRun(text, end, isBlankOrQuote, 4)];
  return end > start && (sign === '=' || sign === ':');
}

const isNamePart = (code: number) => isWordPart(code) || code === 45 || code === 46;
const isBlankOrQuote = (code: number) =>
  code === 32 ||
  code === 9 ||
  code === 34 ||
  code === 39 ||
  code === 96 ||
  code === 92 ||
  code === 93;
