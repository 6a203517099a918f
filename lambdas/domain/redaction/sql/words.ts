import { account } from './at-sign.ts';
import { CLASS_OF_ASCII, classBeyondAscii, DIGIT, LETTER } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { hashStep, keyword, keywordAt, keywords } from './keywords.ts';
import { prefixedString } from './quotes.ts';
import { endOfNumber, endOfUuid } from './scan.ts';
import { BOOLEAN, DATA, NUMBER, STRING, type TokenList, WORD } from './tokens.ts';

const TRUTH = keywords('TRUE FALSE');
const AS = keyword('AS');
const UUID_HEAD = 8;
const [DOUBLE_QUOTE, HASH, DOLLAR, SINGLE_QUOTE, DASH, DOT, COLON, AT_SIGN] = [
  34, 35, 36, 39, 45, 46, 58, 64,
] as const;
const BEYOND_ASCII = 128;
const LAST_OF_ONE_UNIT = 0xffff;

/** A word, with its keyword when it is one, or what else begins like a word. */
export function word(cursor: Cursor): void {
  const { text, at, dialect } = cursor;
  let hash = 0;
  let dollars = 0;
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code < BEYOND_ASCII) {
      const kind = CLASS_OF_ASCII[code];
      if (kind !== LETTER && kind !== DIGIT) {
        if (code === DOLLAR) dollars++;
        else if (!(code === HASH && dialect.hashWords)) break;
      }
      hash = hashStep(hash, code);
    } else {
      const point = text.codePointAt(end) as number;
      if (classBeyondAscii(point) !== LETTER) break;
      if (point > LAST_OF_ONE_UNIT) end++;
      hash = hashStep(hash, point);
    }
  }
  const next = text.charCodeAt(end);
  if (isNoWord(cursor, end, next, dollars)) return;
  const found = keywordAt(hash, text, at, end);
  if (TRUTH[found] === 1 && isValue(cursor.tokens)) cursor.add(BOOLEAN, end);
  else if (found === 0 && isGlued(cursor)) cursor.cutStrayQuote();
  else {
    cursor.add(WORD, end, found);
    if (next === AT_SIGN && !dialect.databaseLinks && account(cursor)) return;
    cursor.context.word(found, text, end);
    if (cursor.context.isFormatData && dialect.formatData) cursor.dataToEnd();
  }
}

/** Whether only the beginning looks like a word; then the whole is read. */
function isNoWord(cursor: Cursor, end: number, next: number, dollars: number): boolean {
  const { text, at, dialect } = cursor;
  const isQuote = next === SINGLE_QUOTE || (next === DOUBLE_QUOTE && dialect.rawStrings);
  if (isQuote && prefixedString(cursor, end)) return true;
  const uuid = next === DASH && end - at === UUID_HEAD ? endOfUuid(text, at) : at;
  if (uuid > at) {
    cursor.add(STRING, uuid);
    return true;
  }
  // `a$$b$$` is one name to some and a string to others; Oracle alone has names like that.
  const isUnsure = dollars > 1 && !dialect.databaseLinks;
  if (!isUnsure && !(next === COLON && text.startsWith('://', end))) return false;
  cursor.cut(at);
  return true;
}

/** Whether TRUE or FALSE is a value here and not part of a name. */
function isValue(tokens: TokenList): boolean {
  const last = tokens.count - 1;
  return last < 0 || !(tokens.isOperator(last, DOT) || tokens.isKeyword(last, AS));
}

/** `'it's secret'`: what is glued to a closing quote says that it did not close. */
function isGlued({ tokens, at }: Cursor): boolean {
  const last = tokens.count - 1;
  return last >= 0 && tokens.end(last) === at && tokens.kind(last) === STRING;
}

/** A number, with every letter and digit that is glued to it. */
export function number(cursor: Cursor): void {
  const { text, at, tokens } = cursor;
  const uuid = endOfUuid(text, at);
  cursor.add(NUMBER, uuid > at ? uuid : endOfNumber(text, at));
  // Word characters beyond ASCII belong to whatever this is.
  if (isLetterBeyondAscii(text, cursor.at)) {
    const first = tokens.count - 1;
    word(cursor);
    tokens.fold(first, tokens.count, DATA);
  }
  if (text.charCodeAt(cursor.at) === AT_SIGN && !cursor.dialect.databaseLinks) account(cursor);
}

function isLetterBeyondAscii(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) >= BEYOND_ASCII &&
    classBeyondAscii(text.codePointAt(at) as number) === LETTER
  );
}
