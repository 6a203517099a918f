import { isSpaceCode, isWordCode } from './characters.ts';
import { Rewriter } from './rewriter.ts';
import { CLOSE, COMMA, OPEN, QUESTION } from './signs.ts';

const [BLANK, DOUBLE_QUOTE, MINUS, COLON, BACKTICK] = [32, 34, 45, 58, 96] as const;
const [LAST_OF_IN, LAST_OF_VALUES] = [110, 115] as const;
const LIST_OF_VALUES = '(?+)';
const BEYOND_ASCII = 128;

/** What a character may begin; of all others, letters and digits among them, each stands for itself. */
const [SPACE, QUOTE, PARAMETER, BRACKET] = [1, 2, 3, 4] as const;
const ROLES = roles();

/**
 * Canonical text of a redacted statement for its fingerprint: words in lower case, space only between
 * words, placeholders and parameters alike, lists of IN and VALUES without their length. Statements that
 * differ in values only have the same shape. The caller makes an HMAC of it: names can be looked up.
 */
export function shapeOf(redacted: string): string {
  const lower = redacted.toLowerCase();
  // Some letters change their length with their case.
  const folded = lower.length === redacted.length ? lower : redacted;
  const shape = new Rewriter(folded);
  let at = 0;
  /** The last character that is no space. */
  let last = 0;
  while (at < folded.length) {
    const code = folded.charCodeAt(at);
    const role = roleOf(code);
    if (role === SPACE) {
      const end = endOfSpace(folded, at);
      const separates = isName(last) && end < folded.length && isNameStart(folded.charCodeAt(end));
      if (!(separates && end === at + 1 && code === BLANK)) {
        shape.replace(at, end, separates ? ' ' : '');
      }
      at = end;
    } else if (role === QUOTE) {
      const close = folded.indexOf(code === BACKTICK ? '`' : '"', at + 1);
      const end = close === -1 ? folded.length : close + 1;
      // The case of a quoted name counts.
      shape.replace(at, end, redacted.slice(at, end));
      last = code;
      at = end;
    } else if (role === PARAMETER && isParameter(folded, at, last)) {
      const end = endOfWord(folded, at + 1);
      shape.replace(at, end, '?');
      last = QUESTION;
      at = end;
    } else if (role === BRACKET && endsWithListWord(folded, at)) {
      const end = endOfLists(folded, at);
      if (end > at) shape.replace(at, end, LIST_OF_VALUES);
      last = end > at ? CLOSE : code;
      at = Math.max(end, at + 1);
    } else {
      last = code;
      at += role === PARAMETER && isCast(folded, at) ? 2 : 1;
    }
  }
  return shape.finish();
}

function roles(): Uint8Array {
  const table = new Uint8Array(BEYOND_ASCII);
  const mark = (characters: string, role: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = role;
  };
  mark(' \t\n\v\f\r', SPACE);
  mark('"`', QUOTE);
  mark('$@:', PARAMETER);
  mark('(', BRACKET);
  return table;
}

function roleOf(code: number): number {
  return code < BEYOND_ASCII ? (ROLES[code] as number) : 0;
}

function isName(code: number): boolean {
  return (
    isWordCode(code) ||
    code >= BEYOND_ASCII ||
    code === QUESTION ||
    code === DOUBLE_QUOTE ||
    code === BACKTICK
  );
}

function isNameStart(code: number): boolean {
  return isName(code) || roleOf(code) === PARAMETER;
}

/** `::` */
function isCast(text: string, at: number): boolean {
  return text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === COLON;
}

/** `$1`, `@name` and `:name`, but not the dollar in a word. */
function isParameter(text: string, at: number, last: number): boolean {
  return isWordCode(text.charCodeAt(at + 1)) && !isWordCode(last);
}

function endOfSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpaceCode(text.charCodeAt(at))) at++;
  return at;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && isWordCode(text.charCodeAt(at))) at++;
  return at;
}

/** Whether IN or VALUES stands before an opening bracket. */
function endsWithListWord(text: string, open: number): boolean {
  let end = open;
  while (end > 0 && isSpaceCode(text.charCodeAt(end - 1))) end--;
  const last = text.charCodeAt(end - 1);
  if (last !== LAST_OF_IN && last !== LAST_OF_VALUES) return false;
  const word = last === LAST_OF_IN ? 'in' : 'values';
  const start = end - word.length;
  return text.startsWith(word, start) && (start === 0 || !isWordCode(text.charCodeAt(start - 1)));
}

/** Offset behind `(?, ?), (?, $1)`; the start when something else than values stands there. */
function endOfLists(text: string, start: number): number {
  let behind = start;
  let isOpen = false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpaceCode(code) || code === COMMA) continue;
    if (code === OPEN && !isOpen) isOpen = true;
    else if (code === CLOSE && isOpen) {
      isOpen = false;
      behind = at + 1;
    } else if (!isOpen) break;
    else if (roleOf(code) === PARAMETER && isWordCode(text.charCodeAt(at + 1)))
      at = endOfWord(text, at + 1) - 1;
    else if (code !== QUESTION && code !== MINUS) break;
  }
  return behind;
}
