import { endOfRun, isWordPart } from './characters.ts';

/** Schemes whose user info is the container that the path stands in. */
const CONTAINER_SCHEME = /^(?:abfss?|wasbs?|adls?)$/i;

/** `jdbc:oracle:thin:scott/tiger@host`: no scheme that other parsers know. */
const ORACLE_HEAD = /jdbc:oracle:[a-z0-9]{1,8}:/iy;

/** `scott/tiger@host:1521/service`, as Oracle's and other tools take it. */
const EASY_CONNECT = /[^\s/@:=?;&]{1,128}\/[^\s@]{1,256}@/y;

/** The same URL, DSN or connection string without the user and password before any of its hosts. */
export function withoutUserInfo(text: string): string {
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
