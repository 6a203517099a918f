import { isSpaceCode, isWordCode } from './characters.ts';

const [OPEN, CLOSE, COMMA, MINUS, QUESTION, COLON] = [40, 41, 44, 45, 63, 58] as const;
const [DOUBLE_QUOTE, BACKTICK, DOLLAR, AT_SIGN] = [34, 96, 36, 64] as const;
const [LAST_OF_IN, LAST_OF_VALUES] = [110, 115] as const;
const BEYOND_ASCII = 128;
const LIST_OF_VALUES = '(?+)';

/**
 * Canonical text of a redacted statement for its fingerprint: words in lower case, space only between
 * words, placeholders and parameters alike, lists of IN and VALUES without their length. Statements that
 * differ in values only have the same shape. The caller makes an HMAC of it: names can be looked up.
 */
export function shapeOf(redacted: string): string {
  const lower = redacted.toLowerCase();
  // Some letters change their length with their case.
  const folded = lower.length === redacted.length ? lower : redacted;
  let shape = '';
  let copied = 0;
  let at = 0;
  /** The last character that is no space. */
  let last = 0;
  const put = (start: number, end: number, replacement: string) => {
    shape += folded.slice(copied, start) + replacement;
    copied = end;
    at = end;
  };
  while (at < folded.length) {
    const code = folded.charCodeAt(at);
    if (isSpaceCode(code)) {
      let end = at + 1;
      while (end < folded.length && isSpaceCode(folded.charCodeAt(end))) end++;
      const separates = isName(last) && end < folded.length && isNameStart(folded.charCodeAt(end));
      if (separates && end === at + 1 && code === 32) at = end;
      else put(at, end, separates ? ' ' : '');
      continue;
    }
    if (code === DOUBLE_QUOTE || code === BACKTICK) {
      const close = folded.indexOf(code === BACKTICK ? '`' : '"', at + 1);
      const end = close === -1 ? folded.length : close + 1;
      // The case of a quoted name counts.
      put(at, end, redacted.slice(at, end));
      last = code;
      continue;
    }
    const next = folded.charCodeAt(at + 1);
    if (code === COLON && next === COLON) at += 2;
    else if (isParameterSign(code) && isWordCode(next) && !isWordCode(last)) {
      put(at, endOfWord(folded, at + 1), '?');
      last = QUESTION;
      continue;
    } else if (code === OPEN && endsWithListWord(folded, at)) {
      const end = endOfLists(folded, at);
      if (end > at) put(at, end, LIST_OF_VALUES);
      else at++;
    } else at++;
    last = code === OPEN && folded.charCodeAt(at - 1) === CLOSE ? CLOSE : code;
  }
  return shape + folded.slice(copied);
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
  return isName(code) || isParameterSign(code);
}

function isParameterSign(code: number): boolean {
  return code === DOLLAR || code === AT_SIGN || code === COLON;
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
    else if (isParameterSign(code) && isWordCode(text.charCodeAt(at + 1)))
      at = endOfWord(text, at + 1) - 1;
    else if (code !== QUESTION && code !== MINUS) break;
  }
  return behind;
}
