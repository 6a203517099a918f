import { endOfRun, isWordPart } from './characters.ts';
import type { Finding } from './finding.ts';
import { endOfMarker } from './marker.ts';
import { endsInSecretName, holdsPassw, isSecretHeader } from './secret-names.ts';
import { endOfBalanced, endOfBareValue, endOfBraced, endOfString } from './value-ends.ts';

/** Longest gap between a name and its value that is still one. */
const MAX_GAP_CHARACTERS = 16;
const MAX_NAME_CHARACTERS = 128;
const MAX_QUOTE_CHARACTERS = 8;

const COLON = 58;
const EQUALS = 61;
const CLOSING_ANGLE = 62;

/** `name=value`, `"name": "value"`, `<name>value<`, `--name value` where the name that ends here is one of a secret. */
export function findNamedValue(text: string, end: number): Finding | undefined {
  let quote = end;
  let gap = end;
  let sign = text.charCodeAt(end);
  if (sign !== EQUALS && sign !== COLON) {
    quote = endOfRun(text, end, isQuoteOrBackslash, MAX_QUOTE_CHARACTERS);
    gap = endOfRun(text, quote, isBlank, MAX_GAP_CHARACTERS);
    sign = text.charCodeAt(gap);
  }
  const isSigned = sign === EQUALS || sign === COLON;
  const isPaired = quote > end && !isSigned;
  const isTag = sign === CLOSING_ANGLE && gap === end;
  const mayBeFlag = gap > end && quote === end;
  if (!isSigned && !isTag && !mayBeFlag && !isPaired) return undefined;
  const isSecret = endsInSecretName(text, end);
  if (!isSecret && !(isSigned && mayBeOther(text, end))) return undefined;
  const start = startOfName(text, end);
  if (!isSecret && !holdsPassw(text, start, end) && !FOREIGN.test(text.slice(start, end)))
    return undefined;
  const before = text[start - 1];
  if (isSigned) return signedValue(text, start, end, gap);
  if (isTag && before === '<') return found(text, gap + 1, endOfTag(text, gap + 1));
  if (isPaired) return pairedValue(text, end);
  if (!mayBeFlag || gap === text.length) return undefined;
  if (before === '-') return text[gap] === '-' ? undefined : valueAt(text, gap, undefined);
  return holdsPassw(text, start, end) ? spokenValue(text, gap) : undefined;
}

const VALUE_HEAD = /\\{0,4}["']\s{0,4},?\s{0,4}\\{0,4}["']?value\\{0,4}["']?\s{0,4}[:=]\s{0,4}/iy;

/** `{"name":"password","value":"x"}`, `<add key="password" value="x"/>` */
function pairedValue(text: string, end: number): Finding | undefined {
  VALUE_HEAD.lastIndex = end;
  return VALUE_HEAD.test(text) ? valueAt(text, VALUE_HEAD.lastIndex, undefined) : undefined;
}

const SPOKEN =
  /(?:(?:is|was|to) {1,4})?(?:(?=["'`])|(?=[^\s\d]{0,64}\d)(?=[^\sA-Za-z]{0,64}[A-Za-z])\S{6})/iy;

/** `PASSWORD 'x'`, `the password is hunter2`: in quotes, or letters with digits, as words of a sentence are not. */
function spokenValue(text: string, at: number): Finding | undefined {
  SPOKEN.lastIndex = at;
  const head = SPOKEN.exec(text)?.[0];
  if (head === undefined) return undefined;
  const start = at + (/^(?:is|was|to) +/i.exec(head)?.[0].length ?? 0);
  return valueAt(text, start, undefined);
}

function signedValue(text: string, start: number, end: number, at: number): Finding | undefined {
  const name = text.slice(start, end);
  const opening = text[start - 1];
  if (text[at] === ':') {
    // The part of an ARN that says what it names; `::` and `://` stand in no pair.
    if (name === 'secret' && opening === ':') return undefined;
    if (text[at + 1] === ':' || text.startsWith('//', at + 1)) return undefined;
  }
  const operator = text[at + 1] === '>' || text[at + 1] === '=' ? at + 2 : at + 1;
  const value = endOfRun(text, operator, isBlank, MAX_GAP_CHARACTERS);
  return valueAt(text, value, isSecretHeader(name) ? (opening ?? '\n') : undefined);
}

/** @param header what opens the text that the value goes to the end of, when spaces do not end it */
function valueAt(text: string, start: number, header: string | undefined): Finding | undefined {
  const first = text[start];
  if (first === undefined || endOfMarker(text, start) !== undefined) return undefined;
  const slashes = endOfRun(text, start, (code) => code === 92, MAX_QUOTE_CHARACTERS);
  const quote = text[slashes];
  if (quote === '"' || quote === "'" || quote === '`') {
    const inner = slashes + 1;
    if (endOfMarker(text, inner) !== undefined) return undefined;
    return found(text, inner, endOfString(text, inner, text.slice(start, inner)));
  }
  if (first === '{' && text[start - 1] === '=') return found(text, start, endOfBraced(text, start));
  if (first === '{' || first === '[') return found(text, start, endOfBalanced(text, start));
  if (header !== undefined) {
    const end = text.indexOf(header === '"' || header === "'" ? header : '\n', start);
    return found(text, start, end === -1 ? text.length : end);
  }
  return found(text, start, endOfBareValue(text, start));
}

const SAYS_NOTHING = new Set([
  'null',
  'none',
  'true',
  'false',
  'undefined',
  '?',
  '***',
  '""',
  "''",
  '[]',
  '{}',
]);

function found(text: string, start: number, end: number): Finding | undefined {
  if (end <= start || endOfMarker(text, start) !== undefined) return undefined;
  if (end - start <= 9 && SAYS_NOTHING.has(text.slice(start, end).toLowerCase())) return undefined;
  return { start, end, rule: 'credential' };
}

/** The word for a password where names are not in ASCII. */
const FOREIGN = /(?:пароль|密码|密碼|パスワード|비밀번호|contraseña|hasło|lösenord|jelszó)$/i;

/** Whether there is a `w`, or anything but ASCII, in the name that ends here. */
function mayBeOther(text: string, end: number): boolean {
  const floor = Math.max(0, end - MAX_NAME_CHARACTERS);
  for (let at = end - 1; at >= floor; at--) {
    const code = text.charCodeAt(at);
    if ((code | 32) === 119 || code >= 128) return true;
    if (!isWordPart(code) && !isJoint(code)) return false;
  }
  return false;
}

/** Words joined by single `-`, `.` or `$` are one name. */
function startOfName(text: string, end: number): number {
  const floor = Math.max(0, end - MAX_NAME_CHARACTERS);
  let start = end;
  while (start > floor) {
    if (isWordPart(text.charCodeAt(start - 1))) start--;
    else if (isJoint(text.charCodeAt(start - 1)) && isWordPart(text.charCodeAt(start - 2))) start--;
    else break;
  }
  return start;
}

function endOfTag(text: string, start: number): number {
  const end = text.indexOf('<', start);
  return end === -1 ? text.length : end;
}

const isJoint = (code: number) => code === 45 || code === 46 || code === 36;
const isBlank = (code: number) => code === 32 || code === 9;
const isQuoteOrBackslash = (code: number) =>
  code === 34 || code === 39 || code === 96 || code === 92 || code === 93;

/** What may follow the name of a value: `=`, `:`, `>`, a quote, a backslash, a bracket, a blank. */
export function mayEndName(code: number): boolean {
  return (
    code === 61 ||
    code === 58 ||
    code === 62 ||
    code === 32 ||
    code === 34 ||
    code === 9 ||
    code === 39 ||
    code === 92 ||
    code === 93 ||
    code === 96
  );
}
