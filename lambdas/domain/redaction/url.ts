import { isWordPart } from './characters.ts';
import { endsInSecretName, holdsPassw, isSecretName } from './secret-names.ts';
import { pairPieces } from './url-pieces.ts';
import { withoutUserInfo } from './url-user-info.ts';

/** A text after redaction, and the rules that changed it. */
export interface RedactedText {
  readonly text: string;
  readonly rules: readonly string[];
}

/** Parameters that name a person, by plain name, and what those names end in. */
const USER_PARAMETERS = new Set(['user', 'username', 'uid', 'userid', 'login', 'loginname']);
const USER_ENDING = /(?:er|me|id|in)$/i;

/** Nested URLs are looked into once: what hides deeper is cut with its parameter. */
const MAX_NESTING = 1;

/** Addresses whose path lets anybody post: Slack, Teams, Discord, Telegram. What follows the part kept here is the secret. */
const SECRET_PATH =
  /^(https?:\/\/(?:hooks\.slack(?:-gov)?\.com\/\w{1,16}(?=\/)|[\w.-]{1,200}\.webhook\.office\.com\/\w{1,16}(?=\/)|(?:\w{1,16}\.)?discord(?:app)?\.com\/api\/webhooks(?=\/)|api\.telegram\.org\/bot(?=\d)))[\s\S]+/i;

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
  const isPosted = text.includes('hook') || text.includes('/bot');
  const shown = isPosted ? text.replace(SECRET_PATH, '$1') : text;
  if (shown !== text) rules.push('url_path');
  if (!dropQuery && !mayHoldSecret(shown)) {
    return rules.length === 0 ? undefined : { text: shown, rules };
  }
  const bare = withoutUserInfo(shown);
  if (bare !== shown) rules.push('url_user_info');
  const query = bare.search(/[?#]/);
  const kept = dropQuery && query !== -1 ? bare.slice(0, query) : withoutSecretPairs(bare, nesting);
  if (kept !== bare) rules.push('url_parameter');
  return rules.length === 0 ? undefined : { text: kept, rules };
}

/** Most URLs have no user info, no escapes and no name of a secret before an equals sign. */
function mayHoldSecret(text: string): boolean {
  if (text.includes('@') || text.includes('%')) return true;
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) {
    let end = at;
    while (end > 0 && text[end - 1] === ' ') end--;
    let start = end;
    while (start > 0 && end - start < 64 && isNamePart(text.charCodeAt(start - 1))) start--;
    const isSigning = text[start] === 'x' || text[start] === 'X';
    const isUser = USER_ENDING.test(text.slice(Math.max(start, end - 2), end));
    if (isSigning || isUser || endsInSecretName(text, end) || holdsPassw(text, start, end))
      return true;
  }
  return false;
}

const isNamePart = (code: number) => isWordPart(code) || code === 45 || code === 46;

/** Cuts the `name=value` pairs that hold a secret. */
function withoutSecretPairs(text: string, nesting: number): string {
  if (!text.includes('=')) return text;
  let kept = '';
  let needsSeparator = '';
  for (const { separator, piece } of pairPieces(text)) {
    if (isSecretPair(piece, nesting)) {
      if (separator === '' && piece.includes('/')) {
        kept += withoutSecretFolders(piece);
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

/** The folders of partitions, behind all that must stay: `k=v` stays, `password=v` keeps its name. */
function withoutSecretFolders(path: string): string {
  return path
    .split('/')
    .map((folder) =>
      isSecretPair(folder, 0) ? `${folder.slice(0, folder.indexOf('='))}=***` : folder,
    )
    .join('/');
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
