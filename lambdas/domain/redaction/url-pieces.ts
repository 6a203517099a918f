import { endOfRun, isSpace, isWordPart } from './characters.ts';

const PAIR_SEPARATORS = '?&;#,:';

/** The pieces of a text in order; a space separates where nothing else does. */
export function pairPieces(text: string): Generator<Piece> {
  const isKeywordString = !text.includes('://') && !/[;&?]/.test(text);
  return isKeywordString ? keywordPieces(text) : separatedPieces(text);
}

/** A part of a URL or connection string that may be a pair. */
interface Piece {
  /** What stands before it. */
  readonly separator: string;
  readonly piece: string;
}

/** The pieces between any of the separators in use. */
function* separatedPieces(text: string): Generator<Piece> {
  let separator = '';
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    const opens = char === '{' || char === '"' || char === "'";
    if (opens && text[at - 1] === '=') {
      at = endOfQuoted(text, at) - 1;
      continue;
    }
    if (char !== undefined && !(PAIR_SEPARATORS.includes(char) && isPairAhead(text, at))) continue;
    yield { separator, piece: text.slice(start, at) };
    separator = char ?? '';
    start = at + 1;
  }
}

/** A separator in a password is not always encoded: only one that a name, the end or another separator follows is one. */
function isPairAhead(text: string, at: number): boolean {
  const name = endOfRun(text, at + 1, isNamePart, 64);
  const next = text[name];
  const isFirst = text[at] === '?' || text[at] === '#';
  return (
    (next === '=' && name > at + 1) ||
    next === undefined ||
    (isFirst && next === '&') ||
    next === ';'
  );
}

const isNamePart = (code: number) =>
  isWordPart(code) || code === 45 || code === 46 || code === 32 || code === 37;

/** libpq: `host=h password='a b' dbname=d`. */
function* keywordPieces(text: string): Generator<Piece> {
  let at = 0;
  while (at < text.length) {
    const start = endOfRun(text, at, isSpace);
    let end = endOfRun(text, start, (code) => !isSpace(code) && code !== 61);
    if (text[end] === '=') {
      const opens = text[end + 1] === "'" || text[end + 1] === '"' || text[end + 1] === '{';
      end = opens ? endOfQuoted(text, end + 1) : endOfRun(text, end, (code) => !isSpace(code));
    }
    if (end === at) break;
    yield { separator: text.slice(at, start), piece: text.slice(start, end) };
    at = end;
  }
}

/** Offset behind a value in quotes or braces; of the text when it does not end. */
function endOfQuoted(text: string, at: number): number {
  const close = text[at] === '{' ? '}' : (text[at] as string);
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\' && close !== '}') end++;
    else if (text[end] === close) {
      if (text[end + 1] !== close) return end + 1;
      end++;
    }
  }
  return text.length;
}
