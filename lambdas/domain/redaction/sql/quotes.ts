import { isDigit, isWordCode } from './characters.ts';
import type { Cursor } from './cursor.ts';
import {
  dollarTag,
  type Escapes,
  endOfAlternative,
  endOfName,
  endOfNumber,
  endOfString,
  endOfTripleString,
  UNTERMINATED,
} from './scan.ts';
import { NUMBER, PARAMETER, QUOTED, STRING } from './tokens.ts';

const MAX_PARAMETER_DIGITS = 5;
const PREFIXES = new Set(['n', 'b', 'x', 'e', 'r', 'rb', 'br', 'q', 'nq', 'g']);
/** `_utf8mb4'..'` */
const CHARACTER_SET = /^_\w{1,30}$/;
const LONGEST_PREFIX = 31;
const [DOUBLE_QUOTE, DOLLAR, DOT, OPEN_BRACKET, CLOSE_BRACKET, BACKTICK] = [
  34, 36, 46, 91, 93, 96,
] as const;

/** A string whose prefix, if it has one, begins here, and whose first quote stands at `quoteAt`. */
export function string(cursor: Cursor, quoteAt: number, escapes: Escapes): void {
  const { text, at, decisions } = cursor;
  const quote = text.charCodeAt(quoteAt);
  const isTriple =
    text.charCodeAt(quoteAt + 1) === quote &&
    text.charCodeAt(quoteAt + 2) === quote &&
    decisions.holds('tripleQuotes', at);
  cursor.addScanned(
    STRING,
    isTriple
      ? endOfTripleString(text, quoteAt + 3, quote, escapes, decisions)
      : endOfString(text, quoteAt + 1, quote, escapes, decisions),
  );
}

/** Whether what stands between here and a quote belongs to a string, which then is read. */
export function prefixedString(cursor: Cursor, quoteAt: number): boolean {
  const { text, at, dialect, decisions } = cursor;
  if (quoteAt - at > LONGEST_PREFIX) return false;
  const prefix = text.slice(at, quoteAt).toLowerCase();
  if (!PREFIXES.has(prefix) && !CHARACTER_SET.test(prefix)) return false;
  const isAlternative = prefix === 'q' || prefix === 'nq';
  if (isAlternative && decisions.holds('alternativeQuotes', at)) {
    cursor.addScanned(STRING, endOfAlternative(text, quoteAt));
    return true;
  }
  const isRaw = dialect.rawStrings && prefix.includes('r');
  // Where both may be meant, the rule of the dialect is open as well.
  const isEscape = prefix === 'e' && dialect.escapeStrings && dialect.backslash !== 'open';
  string(cursor, quoteAt, isRaw ? 'raw' : isEscape ? 'always' : 'dialect');
  return true;
}

export function doubleQuote(cursor: Cursor): void {
  const { doubleQuotes } = cursor.dialect;
  const isName =
    doubleQuotes === 'name' ||
    (doubleQuotes === 'open' && cursor.context.isName(cursor.text, cursor.at, cursor.tokens));
  if (isName) name(cursor, DOUBLE_QUOTE);
  else string(cursor, cursor.at, 'dialect');
}

export function backtick(cursor: Cursor): void {
  if (cursor.dialect.backticks) name(cursor, BACKTICK);
  else cursor.cut(cursor.at);
}

/** `[name]`, a subscript, or the list of values that a logger appends. */
export function bracket(cursor: Cursor): void {
  const { text, at, tokens, decisions, context } = cursor;
  if (decisions.holds('brackets', at)) name(cursor, CLOSE_BRACKET);
  else if (context.isBindTail(text, at, tokens)) cursor.cut(at);
  else cursor.operator(OPEN_BRACKET);
}

function name(cursor: Cursor, close: number): void {
  cursor.addScanned(QUOTED, endOfName(cursor.text, cursor.at + 1, close));
}

/** A parameter, money, or a string between dollars. */
export function dollar(cursor: Cursor): void {
  const { text, at, dialect } = cursor;
  if (isDigit(text.charCodeAt(at + 1))) {
    const end = endOfParameter(cursor);
    if (end === at) cursor.add(NUMBER, endOfNumber(text, at + 1));
    else cursor.add(PARAMETER, end);
    return;
  }
  const tag = dollarTag(text, at);
  if (tag === '') cursor.operator(DOLLAR);
  else if ((tag === '$$' || dialect.dollarTags) && cursor.decisions.holds('dollarQuotes', at)) {
    const end = text.indexOf(tag, at + tag.length);
    cursor.addScanned(STRING, end === -1 ? UNTERMINATED : end + tag.length);
  } else cursor.cut(at);
}

/** Offset behind `$1`; where it begins when it is something else. */
function endOfParameter({ text, at, dialect }: Cursor): number {
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  const after = text.charCodeAt(end);
  const isParameter = dialect.dollarParameters && end - at - 1 <= MAX_PARAMETER_DIGITS;
  return isParameter && !isWordCode(after) && after !== DOT ? end : at;
}
