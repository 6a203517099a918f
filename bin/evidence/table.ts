import { stripVTControlCharacters } from 'node:util';

const GAP = '  ';

/** Columns as wide as their widest cell. Control characters of names are removed: a name must not move the cursor. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const clean = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  return clean
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Characters that move the cursor, start an escape sequence or turn text around. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Text from outside, safe to show on a terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, '?');
}
