import { endOfRun, isAlphanumeric, isDigit, isSpace, isWordPart } from './characters.ts';
import type { Finding } from './finding.ts';

/** RFC 5321: a local part has 64 characters, quotes around it two more. */
const MAX_QUOTED_CHARACTERS = 66;
/** Longest user and password before a host that is still looked at. */
const MAX_USER_INFO_CHARACTERS = 256;
const MAX_LITERAL_CHARACTERS = 48;
const IP_LITERAL = /^\[(?:ipv6:)?[0-9a-f:.]+\]/i;

/** What files are called that have an `@` in their name: no top-level domain is. */
const FILE_ENDINGS = new Set(
  'csv tsv json jsonl ndjson parquet orc avro gz tgz snappy xml yaml yml sql txt log html css js ts png jpg jpeg gif svg pdf xlsx jar war class java scala ipynb tmp bak'.split(
    ' ',
  ),
);

/**
 * The e-mail address, or the user and password in front of a host, around the `@` at an offset.
 * @param first where it may begin at the earliest
 */
export function findAddress(text: string, at: number, first: number): Finding | undefined {
  return findEmail(text, at, first) ?? findUserInfo(text, at, first);
}

function findEmail(text: string, at: number, first: number): Finding | undefined {
  const start = startOfLocalPart(text, at, first);
  const end = endOfDomain(text, at + 1);
  if (end === undefined || start >= at) return undefined;
  // The user of every Git host.
  return text.slice(start, at) === 'git' ? undefined : { start, end, rule: 'email' };
}

function startOfLocalPart(text: string, at: number, first: number): number {
  let start = at;
  if (text[at - 1] === '"') {
    const opening = text.lastIndexOf('"', at - 2);
    return Math.max(opening, first, at - MAX_QUOTED_CHARACTERS);
  }
  while (start > first && isLocalPartAt(text, start - 1)) start--;
  // A quote in front belongs to the text around.
  while (text[start] === "'" || text[start] === '`') start++;
  return start;
}

/** Offset behind a domain with a dot in it, or behind an address in brackets. */
function endOfDomain(text: string, after: number): number | undefined {
  if (text[after] === '[') {
    const literal = IP_LITERAL.exec(text.slice(after, after + MAX_LITERAL_CHARACTERS))?.[0];
    return literal === undefined ? undefined : after + literal.length;
  }
  let end = endOfRun(text, after, isDomainPart);
  while (end > after && '.-'.includes(text[end - 1] as string)) end--;
  const name = text.slice(after, end).toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || name.length - dot <= 2 || isDigit(name.charCodeAt(dot + 1))) return undefined;
  // The container of an Azure path, the account of a service, a version, a file.
  if (name.endsWith('.core.windows.net') || name.endsWith('.gserviceaccount.com')) return undefined;
  if (/^v?\d+\.\d/.test(name) || FILE_ENDINGS.has(name.slice(dot + 1))) return undefined;
  return end;
}

/** `user:password@host:5432`, `user:password@host/db`, `scott/tiger@host:1521/service`: a URL without its scheme. */
function findUserInfo(text: string, at: number, first: number): Finding | undefined {
  if (!isHostAhead(text, at + 1)) return undefined;
  const floor = Math.max(first, at - MAX_USER_INFO_CHARACTERS);
  let start = at;
  while (start > floor && isUserInfoPart(text.charCodeAt(start - 1))) start--;
  const userInfo = text.slice(start, at);
  const isPair =
    /^[^\s:/]{1,64}:(?!\/\/)[^\s]+$/.test(userInfo) || /^[\w$#.]{1,64}\/[^\s/]+$/.test(userInfo);
  return isPair ? { start, end: at, rule: 'url_user_info' } : undefined;
}

const HOST = /(?:tcp[46]?|unix)\(|[a-z0-9][a-z0-9.-]{0,253}(?::\d{2,5}(?!\w)|\/\w)/iy;
const DIGEST = /sha\d{3}:/y;

function isHostAhead(text: string, at: number): boolean {
  DIGEST.lastIndex = at;
  HOST.lastIndex = at;
  return !DIGEST.test(text) && HOST.test(text);
}

const isDomainPart = (code: number) => code === 46 || code === 45 || isAlphanumeric(code);

const ESCAPED_LETTER = /^u[0-9a-f]{4}/i;

function isLocalPartAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // A letter beyond ASCII, as JSON escapes it.
  if (code === 92) return ESCAPED_LETTER.test(text.slice(at + 1, at + 6));
  return isLocalPart(code);
}

/** RFC 5322 atext that addresses in use have: `!#$%&'*+-.^_~` and letters of any script. */
const isLocalPart = (code: number) =>
  isWordPart(code) || (code < 128 && "!#$%&'*+-.^~".includes(String.fromCharCode(code)));

/** Anything but what encloses a text or separates it from the next. */
const isUserInfoPart = (code: number) =>
  code >= 0 &&
  !isSpace(code) &&
  !(code < 128 && '"\'<>()[]{},;=`|'.includes(String.fromCharCode(code)));
