import { isDigit, isSpaceCode } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { endOfBlockComment, endOfLine } from './scan.ts';
import { COMMENT } from './tokens.ts';

const [LINE_BREAK, EXCLAMATION, HASH, STAR, DASH, SLASH, FIRST_PRINTABLE] = [
  10, 33, 35, 42, 45, 47, 32,
] as const;

/** A minus sign, or two of them that begin a comment. */
export function dashes(cursor: Cursor): void {
  const { text, at } = cursor;
  if (text.charCodeAt(at + 1) !== DASH) {
    cursor.operator(DASH);
    return;
  }
  const after = at + 2 < text.length ? text.charCodeAt(at + 2) : LINE_BREAK;
  const isSure = isSpaceCode(after) || after < FIRST_PRINTABLE;
  if (!isSure && cursor.decisions.holds('dashNeedsSpace', at)) cursor.operator(DASH);
  else lineComment(cursor, at + 2);
}

/** A division, or one of the comments that begin with a slash. */
export function slash(cursor: Cursor): void {
  const { text, at, decisions } = cursor;
  const next = text.charCodeAt(at + 1);
  if (next === SLASH && decisions.holds('slashComments', at)) {
    lineComment(cursor, at + 2);
    return;
  }
  if (next !== STAR) {
    cursor.operator(SLASH);
    return;
  }
  const isMaria = text.startsWith('M!', at + 2);
  const isVersioned = isMaria || text.charCodeAt(at + 2) === EXCLAMATION;
  if (isVersioned && !cursor.isInVersionedComment && decisions.holds('versionedComments', at)) {
    cursor.isInVersionedComment = true;
    let end = at + (isMaria ? 4 : 3);
    while (isDigit(text.charCodeAt(end))) end++;
    cursor.add(COMMENT, end);
    return;
  }
  cursor.addScanned(COMMENT, endOfBlockComment(text, at + 2, decisions));
}

/** A product, or the end of a comment whose beginning was code or is not here. */
export function star(cursor: Cursor): void {
  const { text, at } = cursor;
  if (text.charCodeAt(at + 1) !== SLASH) {
    cursor.operator(STAR);
    return;
  }
  if (cursor.isInVersionedComment) {
    cursor.isInVersionedComment = false;
    cursor.add(COMMENT, at + 2);
    return;
  }
  if (text.charCodeAt(at + 2) === STAR) {
    cursor.operator(STAR);
    return;
  }
  // Its beginning was cut off, so that everything before may be the inside of a comment.
  cursor.tokens.drop(0);
  cursor.cut(0);
}

export function hash(cursor: Cursor): void {
  const { at, dialect, decisions } = cursor;
  // `#temporary` and `##global`: the name is read as a word of its own.
  const isComment = !dialect.hashWords && decisions.holds('hashComments', at);
  if (isComment) lineComment(cursor, at + 1);
  else cursor.operator(HASH);
}

function lineComment(cursor: Cursor, start: number): void {
  cursor.add(COMMENT, endOfLine(cursor.text, start, cursor.decisions));
}
