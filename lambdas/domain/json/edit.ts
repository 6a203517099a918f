/** Replaces the characters `[start, end)` of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * Applies edits given in ascending order without overlap; everything between them stays to the byte.
 * @throws RangeError when edits overlap or are out of order
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, replacement } of edits) {
    if (start < at || end < start) throw new RangeError('edits overlap or are out of order');
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}
