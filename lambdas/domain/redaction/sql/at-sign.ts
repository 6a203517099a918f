import { isWordCode } from './characters.ts';
import type { Cursor } from './cursor.ts';
import {
  DATA,
  NUMBER,
  OPERATOR,
  PARAMETER,
  QUOTED,
  STRING,
  SYSTEM_VARIABLE,
  type TokenList,
  WORD,
} from './tokens.ts';

const [SLASH, STAR, AT_SIGN] = [47, 42, 64] as const;
/** Between the parts of an account or an address. */
const GLUE = '.-+%';
const STAGE_NAME = '.~%';
/** Beside letters and digits; a placeholder, too, so that redacted text stays as it is. */
const PATH = '.-=%/~+:?';
const AFTER_PATH = ' \t\r\n\f\v,;)';

/** What begins with an at sign: a host behind a quoted account, a stage with its path, a parameter. */
export function atSign(cursor: Cursor): void {
  const { text, at, dialect } = cursor;
  if (isAfterQuote(cursor) && !dialect.databaseLinks && account(cursor)) return;
  let end = at + 1;
  while (isWordCode(text.charCodeAt(end)) || text.charCodeAt(end) === AT_SIGN) end++;
  if (dialect.stages && stage(cursor, end)) return;
  if (end === at + 1) cursor.operator(AT_SIGN);
  else cursor.add(PARAMETER, end, text.charCodeAt(at + 1) === AT_SIGN ? SYSTEM_VARIABLE : 0);
}

function isAfterQuote({ tokens, at }: Cursor): boolean {
  const last = tokens.count - 1;
  if (last < 0 || tokens.end(last) !== at) return false;
  return tokens.kind(last) === STRING || tokens.kind(last) === QUOTED;
}

/** `@stage/path`. What may begin a string or a comment to others makes the path unsure. */
function stage(cursor: Cursor, nameEnd: number): boolean {
  const { text } = cursor;
  const end = endOf(text, nameEnd, STAGE_NAME);
  if (text.charCodeAt(end) !== SLASH || text.charCodeAt(end + 1) === STAR) return false;
  cursor.add(PARAMETER, end);
  cursor.operator(SLASH);
  const pathEnd = endOf(text, cursor.at, PATH);
  const path = text.slice(cursor.at, pathEnd);
  const isSure =
    (pathEnd === text.length || AFTER_PATH.includes(text[pathEnd] as string)) &&
    !(path.includes('--') || path.includes('//') || path.includes('$'));
  if (!isSure) cursor.cut(cursor.at);
  else if (path !== '') cursor.add(DATA, pathEnd);
  return true;
}

/** `jane.doe@host`: an account or an address, with everything that is glued to it. */
export function account(cursor: Cursor): boolean {
  const { text, tokens, at } = cursor;
  const end = endOf(text, at + 1, GLUE);
  if (end === at + 1) return false;
  let first = tokens.count - 1;
  while (first > 0 && tokens.end(first - 1) === tokens.start(first) && isGlue(tokens, first - 1))
    first--;
  tokens.setEnd(tokens.count - 1, end);
  tokens.fold(first, tokens.count, DATA);
  tokens.drop(first + 1);
  cursor.at = end;
  return true;
}

function isGlue(tokens: TokenList, index: number): boolean {
  const kind = tokens.kind(index);
  if (kind === WORD || kind === NUMBER) return true;
  return kind === OPERATOR && GLUE.includes(String.fromCharCode(tokens.detail(index)));
}

/** Offset behind letters, digits and some other characters. */
function endOf(text: string, start: number, others: string): number {
  let end = start;
  while (
    end < text.length &&
    (isWordCode(text.charCodeAt(end)) || others.includes(text[end] as string))
  )
    end++;
  return end;
}
