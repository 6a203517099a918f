import { startsLikeStatement } from './sql-like.ts';

/**
 * Strings that give themselves away wherever they stand. Every pattern is anchored or has a bounded
 * gap, so that none can backtrack over a long value.
 */

// A run of word characters and dashes is tried once, from its start: hence the look-behind.
const SECRET =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bASIA[0-9A-Z]{16}\b|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bbearer\s+[\w.~+/-]{8,}/i;
const CREDENTIAL_PARAMETER =
  /(?:passwo?r?d|passphrase|secret|token|(?:access|account|api|private)[-_]?key|x-amz-signature|x-amz-credential|(?:^|[?&;,\s])(?:pwd|sig))\s*=\s*[^\s&;,]/i;
const ORACLE_THIN_USER_INFO = /^jdbc:oracle:[a-z0-9]{1,8}:[^@]*@/i;

/** The rule under which a string must go as a whole; undefined when nothing gives it away. */
export function detect(text: string): string | undefined {
  if (text.length < 8) return undefined;
  if (startsLikeStatement(text)) return 'sql';
  if (SECRET.test(text)) return 'secret';
  if (namesCredential(text) || hasUserInfo(text)) return 'connection_string';
  return undefined;
}

/** Punctuation and clauses that statements have and titles do not: a job may be called "Copy to S3". */
const MORE_THAN_A_TITLE = /[=*'"`;(),]|\bwhere\b/i;

/**
 * The same for a name, which lineage is joined on: replacing it merges all that are replaced, so
 * words alone do not make it a statement.
 */
export function detectInIdentity(text: string): string | undefined {
  const rule = detect(text);
  return rule === 'sql' && !MORE_THAN_A_TITLE.test(text) ? undefined : rule;
}

/**
 * An identity without what a URL may smuggle in it: user info, and the query when that holds a
 * credential. The rest is the key that lineage is joined on and stays to the byte.
 */
export function withoutUrlSecrets(identity: string): string {
  const bare = withoutUserInfo(identity);
  const query = bare.indexOf('?');
  // An identity that is nothing but its query is left to the detectors: it must not become empty.
  if (query > 0 && namesCredential(bare.slice(query))) return bare.slice(0, query);
  return bare;
}

/** Few strings hold an equals sign, and finding none is far cheaper than the pattern. */
function namesCredential(text: string): boolean {
  return text.includes('=') && CREDENTIAL_PARAMETER.test(text);
}

function hasUserInfo(text: string): boolean {
  return withoutUserInfo(text) !== text;
}

/**
 * Cuts `user:password@` out of every URL in a text. User info without a colon stays: it is the
 * container of an `abfss` path. A password may hold an `@`, so the last one ends it.
 */
function withoutUserInfo(text: string): string {
  if (!text.includes('@')) return text;
  let result = '';
  let copied = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    const authority = text.slice(start, endOfAuthority(text, start));
    const userInfo = authority.slice(0, Math.max(authority.lastIndexOf('@'), 0));
    if (!userInfo.includes(':')) continue;
    result += text.slice(copied, start);
    copied = start + userInfo.length + 1;
  }
  return (result + text.slice(copied)).replace(ORACLE_THIN_USER_INFO, (found) =>
    found.slice(0, found.indexOf(':', 'jdbc:oracle:'.length) + 1),
  );
}

function endOfAuthority(text: string, start: number): number {
  let end = start;
  while (end < text.length && !' \t\r\n/?#'.includes(text[end] as string)) end++;
  return end;
}
