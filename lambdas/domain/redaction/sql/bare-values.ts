import { DOT } from './signs.ts';
import { QUOTED, SECRET, type TokenList, WORD } from './tokens.ts';

/** Makes a value of everything behind the first keyword of a set, up to the end of the statement. */
export function foldBehind(tokens: TokenList, from: number, end: number, set: Uint8Array): void {
  const found = tokens.nextKeyword(from, end, set);
  if (found < end) foldTail(tokens, found + 1, end);
}

/** Makes a value of everything from a token on, comments before it aside. */
export function foldTail(tokens: TokenList, from: number, end: number): void {
  const first = tokens.solid(from);
  if (first < end) tokens.fold(first, end, SECRET);
}

/** Behind a name with its dots, if one stands there. */
export function behindName(tokens: TokenList, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const kind = tokens.kind(at);
    if (kind !== WORD && kind !== QUOTED) return at;
    at++;
    if (!(at < end && tokens.isOperator(at, DOT))) return at;
    at++;
  }
  return at;
}
