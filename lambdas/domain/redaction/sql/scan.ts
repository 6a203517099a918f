import { isSpaceCode, isWordCode } from './characters.ts';
import type { Decisions } from './decisions.ts';

/** What a scan answers when the text ends before its end. */
export const UNTERMINATED = -1;

const BACKSLASH = 92;
const BRACE = 123;

/** How a backslash before the closing quote is read. */
export type Escapes = 'always' | 'dialect' | 'raw';

/** Offset behind a string whose first quote stands before `at`. A doubled quote does not end it. */
export function endOfString(
  text: string,
  at: number,
  quote: number,
  escapes: Escapes,
  decisions: Decisions,
): number {
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      if (text.charCodeAt(i + 1) !== quote) return i + 1;
      i++;
    } else if (code === BACKSLASH) {
      const start = i;
      while (text.charCodeAt(i + 1) === BACKSLASH) i++;
      const isOdd = (i - start) % 2 === 0;
      if (isOdd && text.charCodeAt(i + 1) === quote && escaped(escapes, decisions, at)) i++;
    } else if (code === BRACE && isTemplate(text, i) && decisions.holds('templateInString', at)) {
      const end = endOfTemplate(text, i);
      if (end === UNTERMINATED) return UNTERMINATED;
      i = end - 1;
    }
  }
  return UNTERMINATED;
}

/** Offset behind a string in triple quotes, of which the first three stand before `at`. */
export function endOfTripleString(
  text: string,
  at: number,
  quote: number,
  escapes: Escapes,
  decisions: Decisions,
): number {
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote && text.charCodeAt(i + 1) === quote && text.charCodeAt(i + 2) === quote) {
      return i + 3;
    }
    if (code === BACKSLASH && escaped(escapes, decisions, at)) i++;
  }
  return UNTERMINATED;
}

function escaped(escapes: Escapes, decisions: Decisions, at: number): boolean {
  if (escapes === 'always') return true;
  return decisions.holds(escapes === 'raw' ? 'rawEscape' : 'backslash', at);
}

/** Offset behind a quoted name. One whose last character is a backslash is not sure to end there. */
export function endOfName(text: string, at: number, close: number): number {
  for (let i = at; i < text.length; i++) {
    if (text.charCodeAt(i) !== close) continue;
    if (text.charCodeAt(i + 1) === close) i++;
    else return text.charCodeAt(i - 1) === BACKSLASH ? UNTERMINATED : i + 1;
  }
  return UNTERMINATED;
}

/** Offset behind a block comment whose opening stands before `at`. */
export function endOfBlockComment(text: string, at: number, decisions: Decisions): number {
  let depth = 1;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 42 && text.charCodeAt(i + 1) === 47) {
      i++;
      if (--depth === 0) return i + 1;
    } else if (code === 47 && text.charCodeAt(i + 1) === 42) {
      i++;
      if (decisions.holds('nestedComments', at)) depth++;
    }
  }
  return UNTERMINATED;
}

/** Offset of the line break that ends a comment, or the end of the text. */
export function endOfLine(text: string, at: number, decisions: Decisions): number {
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) return i;
    if (code === 13 && text.charCodeAt(i + 1) !== 10 && decisions.holds('returnEndsLine', at)) {
      return i;
    }
  }
  return text.length;
}

/** Whether a template of Jinja begins here: an expression, a statement or a comment. */
export function isTemplate(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return next === BRACE || next === 37 || next === 35;
}

/** Offset behind a template. Strings in it may hold its closing braces; in a comment there are none. */
export function endOfTemplate(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next === 35) {
    const end = text.indexOf('#}', at + 2);
    return end === -1 ? UNTERMINATED : end + 2;
  }
  const close = next === BRACE ? 125 : 37;
  for (let i = at + 2; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === close && text.charCodeAt(i + 1) === 125) return i + 2;
    if (code === 39 || code === 34) {
      for (i++; i < text.length && text.charCodeAt(i) !== code; i++) {
        if (text.charCodeAt(i) === BACKSLASH) i++;
      }
    }
  }
  return UNTERMINATED;
}

/** The tag that opens a dollar-quoted string, dollars included; empty when none does. */
export function dollarTag(text: string, at: number): string {
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) !== 36 && isWordCode(text.charCodeAt(end)))
    end++;
  return text.charCodeAt(end) === 36 ? text.slice(at, end + 1) : '';
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };

/** Offset behind Oracle's `q'[..]'`, whose quote stands at `quote`. */
export function endOfAlternative(text: string, quote: number): number {
  const open = text[quote + 1];
  if (open === undefined || isSpaceCode(open.charCodeAt(0))) return UNTERMINATED;
  const end = text.indexOf(`${CLOSING[open] ?? open}'`, quote + 2);
  return end === -1 ? UNTERMINATED : end + 2;
}

/** Offset behind the digits, letters, dots and signs of exponents that a number may be made of. */
export function endOfNumber(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isWordCode(code) || code === 46) continue;
    const isSign = code === 43 || code === 45;
    const before = i > at ? text.charCodeAt(i - 1) | 32 : 0;
    if (!(isSign && before === 101)) break;
  }
  return i;
}

const UUID_LENGTH = 36;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Offset behind a bare UUID that begins at `at`, or `at`. */
export function endOfUuid(text: string, at: number): number {
  return UUID.test(text.slice(at, at + UUID_LENGTH)) ? at + UUID_LENGTH : at;
}
