import { atSign } from './at-sign.ts';
import {
  CLASS_OF_ASCII,
  classBeyondAscii,
  DIGIT,
  FOREIGN,
  isDigit,
  isWordCode,
  LETTER,
  SPACE,
  SPECIAL,
} from './characters.ts';
import { dashes, hash, slash, star } from './comments.ts';
import { Cursor } from './cursor.ts';
import type { Decisions } from './decisions.ts';
import type { Dialect } from './dialect.ts';
import { backtick, bracket, dollar, doubleQuote, string } from './quotes.ts';
import { endOfTemplate, isTemplate } from './scan.ts';
import { COLON } from './signs.ts';
import { DATA, OPERATOR, TEMPLATE, type TokenList, WORD } from './tokens.ts';
import { number, word } from './words.ts';

/**
 * Splits a text into the tokens of one reading, in one pass. Where the text leaves what the reading can
 * explain, one CUT takes everything from there to its end.
 */
export function lex(text: string, dialect: Dialect, decisions: Decisions): TokenList {
  const cursor = new Cursor(text, dialect, decisions);
  while (cursor.at < text.length) {
    const code = text.charCodeAt(cursor.at);
    const kind =
      code < 128 ? CLASS_OF_ASCII[code] : classBeyondAscii(text.codePointAt(cursor.at) as number);
    if (kind === SPACE) cursor.at++;
    else if (kind === LETTER) word(cursor);
    else if (kind === DIGIT) number(cursor);
    else if (kind === SPECIAL) special(cursor, code);
    else if (kind === FOREIGN) cursor.cutStrayQuote();
    else cursor.operator(code);
  }
  return cursor.tokens;
}

/** What loggers write before the values that they append: `Parameters: x(String), 5(Integer)`. */
const LABELS = new Set([
  'parameters',
  'params',
  'args',
  'arguments',
  'binds',
  'bindings',
  'values',
]);

function isLabel({ text, at, tokens }: Cursor): boolean {
  const last = tokens.count - 1;
  if (tokens.kind(last) !== WORD || tokens.end(last) !== at) return false;
  return text[at + 1] === ' ' && LABELS.has(text.slice(tokens.start(last), at).toLowerCase());
}

const [SINGLE_QUOTE, DOUBLE_QUOTE, BACKTICK, BACKSLASH] = [39, 34, 96, 92] as const;
const [DASH, SLASH, STAR, HASH, DOLLAR] = [45, 47, 42, 35, 36] as const;
const [BRACKET, BRACE, AT_SIGN, SEMICOLON, DOT] = [91, 123, 64, 59, 46] as const;

/** A character that begins more than an operator, at least to one dialect. */
function special(cursor: Cursor, code: number): void {
  if (code === SINGLE_QUOTE) string(cursor, cursor.at, 'dialect');
  else if (code === DOT) dot(cursor);
  else if (code === DASH) dashes(cursor);
  else if (code === STAR) star(cursor);
  else if (code === SLASH) slash(cursor);
  else if (code === DOUBLE_QUOTE) doubleQuote(cursor);
  else if (code === BACKTICK) backtick(cursor);
  else if (code === BRACKET) bracket(cursor);
  else if (code === SEMICOLON) semicolon(cursor);
  else if (code === COLON && isLabel(cursor)) cursor.cut(cursor.at);
  else if (code === DOLLAR) dollar(cursor);
  else if (code === AT_SIGN) atSign(cursor);
  else if (code === HASH) hash(cursor);
  else if (code === BRACE) brace(cursor);
  // A client's command, or the inside of a string.
  else if (code === BACKSLASH) cursor.cutStrayQuote();
  else cursor.operator(code);
}

/** The dot of a name, or of a fraction such as `.5`. */
function dot(cursor: Cursor): void {
  const { text, at } = cursor;
  const isFraction =
    isDigit(text.charCodeAt(at + 1)) &&
    !(at > 0 && (isWordCode(text.charCodeAt(at - 1)) || '"`]'.includes(text[at - 1] as string)));
  if (isFraction) number(cursor);
  else cursor.operator(DOT);
}

function brace(cursor: Cursor): void {
  const { text, at } = cursor;
  if (isTemplate(text, at)) cursor.addScanned(TEMPLATE, endOfTemplate(text, at));
  // No code: the object of values that a logger appends.
  else if (text[at + 1] === '"') cursor.cut(at);
  else cursor.operator(BRACE);
}

function semicolon(cursor: Cursor): void {
  const isCopy = cursor.context.isCopyFromStdin;
  cursor.operator(SEMICOLON);
  cursor.context.end();
  if (!isCopy) return;
  // Rows without quotes around their values, up to a line with a backslash and a dot.
  const end = cursor.text.indexOf('\n\\.', cursor.at);
  if (end === -1) {
    cursor.dataToEnd();
    return;
  }
  if (end > cursor.at) cursor.add(DATA, end);
  cursor.at = end + 1;
  cursor.add(OPERATOR, end + 3, SEMICOLON);
}
