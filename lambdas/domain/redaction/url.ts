import { endOfRun, isSpace, isWordPart } from './characters.ts';
import { isSecretName } from './secret-names.ts';

/** A text after redaction, and the rules that changed it. */
export interface RedactedText {
  readonly text: string;
  readonly rules: readonly string[];
}

/** Schemes whose user info is the container that the path stands in. */
const CONTAINER_SCHEME = /^(?:abfss?|wasbs?|adls?)$/i;

/** Parameters that name a person, by plain name. */
const USER_PARAMETERS = new Set(['user', 'username', 'uid', 'userid', 'login', 'loginname']);

/** Nested URLs are looked into once: what hides deeper is cut with its parameter. */
const MAX_NESTING = 1;

/**
 * A URL, DSN, JDBC URL or connection string without user info and without the parameters that hold
 * a secret, name a user or sign; host, path, database and everything else stay.
 * @param options.dropQuery cuts everything from the query on, for places where no parameter is needed
 * @returns undefined when nothing had to go
 */
export function redactUrl(
  text: string,
  { dropQuery = false } = {},
  nesting = 0,
): RedactedText | undefined {
  const rules: string[] = [];
  const bare = withoutUserInfo(text);
  if (bare !== text) rules.push('url_user_info');
  const query = bare.search(/[?#]/);
  const kept = dropQuery && query !== -1 ? bare.slice(0, query) : withoutSecretPairs(bare, nesting);
  if (kept !== bare) rules.push('url_parameter');
  return rules.length === 0 ? undefined : { text: kept, rules };
}

/** `jdbc:oracle:thin:scott/tiger@host`: no scheme that other parsers know. */
const ORACLE_HEAD = /jdbc:oracle:[a-z0-9]{1,8}:/iy;

/** `scott/tiger@host:1521/service`, as Oracle's and other tools take it. */
const EASY_CONNECT = /[^\s/@:=?;&]{1,128}\/[^\s@]{1,256}@/y;

function withoutUserInfo(text: string): string {
  const lastAt = text.lastIndexOf('@');
  if (lastAt === -1) return text;
  ORACLE_HEAD.lastIndex = 0;
  if (ORACLE_HEAD.test(text)) {
    const start = ORACLE_HEAD.lastIndex;
    const stop = text.search(/[?;]/);
    const at = stop === -1 ? lastAt : text.lastIndexOf('@', stop);
    return at > start ? text.slice(0, start) + text.slice(at) : text;
  }
  if (!text.includes('://')) {
    EASY_CONNECT.lastIndex = 0;
    return EASY_CONNECT.test(text) ? text.slice(EASY_CONNECT.lastIndex) : text;
  }
  let kept = '';
  let copied = 0;
  for (let at = text.indexOf('://'); at !== -1 && at < lastAt; at = text.indexOf('://', at + 3)) {
    const end = endOfUserInfo(text, at + 3, lastWord(text, at), lastAt);
    if (end === undefined) continue;
    kept += text.slice(copied, at + 3);
    copied = end;
    at = end - 3;
  }
  return kept + text.slice(copied);
}

/** Offset behind the `@` that ends the user info of an authority; undefined when there is none to cut. */
function endOfUserInfo(
  text: string,
  start: number,
  scheme: string,
  lastAt: number,
): number | undefined {
  const end = endOfRun(text, start, (code) => code !== 47 && code !== 63 && code !== 35);
  const authority = text.slice(start, end);
  const at = authority.lastIndexOf('@');
  // `u:p@/x@h`: a host that is not there is a password that goes on.
  if (at === -1 || at === authority.length - 1) {
    // `user:pass/word@host`: a slash in a password is not encoded by everybody, and no port is one.
    const colon = authority.indexOf(':');
    const isPort = colon === -1 || /^:\d{0,5}(?:,|$)/.test(authority.slice(colon, colon + 8));
    if (isPort || authority.startsWith('[')) return at === -1 ? undefined : end;
    const query = text.indexOf('?', end);
    const beforeQuery = query === -1 ? -1 : text.slice(start, query).lastIndexOf('@');
    return (beforeQuery === -1 ? lastAt : start + beforeQuery) + 1;
  }
  if (authority.startsWith('sha256:', at + 1)) return undefined; // an image and its digest
  const userInfo = authority.slice(0, at);
  const isContainer = CONTAINER_SCHEME.test(scheme) || userInfo === 'git';
  return isContainer && !userInfo.includes(':') ? undefined : start + at + 1;
}

function lastWord(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < 64 && isWordPart(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

const PAIR_SEPARATORS = '?&;#,:';

/** Cuts `name=value` pairs between any of the separators in use; a space separates where nothing else does. */
function withoutSecretPairs(text: string, nesting: number): string {
  if (!text.includes('=')) return text;
  const isKeywordString = !text.includes('://') && !/[;&?]/.test(text);
  const pieces = isKeywordString ? keywordPieces(text) : separatedPieces(text);
  let kept = '';
  let needsSeparator = '';
  for (const { separator, piece } of pieces) {
    if (isSecretPair(piece, nesting)) {
      if (separator === '' && piece.includes('/')) {
        // A directory of a partition, behind all that must stay.
        kept += `${piece.slice(0, piece.indexOf('='))}=***`;
        continue;
      }
      // What followed a cut pair goes on behind the separator that stood before it.
      if ('?#'.includes(separator) || kept === '') needsSeparator = needsSeparator || separator;
      continue;
    }
    kept += (needsSeparator || (kept === '' ? '' : separator) || '') + piece;
    needsSeparator = '';
  }
  return kept;
}

interface Piece {
  /** What stands before it. */
  readonly separator: string;
  readonly piece: string;
}

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

function isSecretPair(piece: string, nesting: number): boolean {
  const equals = piece.indexOf('=');
  if (equals === -1) return false;
  const name = decoded(piece.slice(0, equals)).trim();
  // A path or an authority may stand before the first pair: only its end is a name.
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (USER_PARAMETERS.has(plain) || plain.startsWith('xamz') || plain.startsWith('xgoog'))
    return true;
  if (isSecretName(name)) return true;
  const value = decoded(piece.slice(equals + 1));
  if (!value.includes('@') && !value.includes('=')) return false;
  return nesting > MAX_NESTING || redactUrl(value, {}, nesting + 1) !== undefined;
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%[0-9a-f]{2}/gi, (hex) =>
      String.fromCharCode(Number(`0x${hex.slice(1)}`)),
    );
  }
}
