const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** What an escape of two characters stands for, by its second; the others stand for themselves. */
const CONTROLS: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** Characters of the longest escape, a backslash, a `u` and four digits; it stands for one. */
const LONGEST_ESCAPE = 6;

/**
 * Whether well-formed JSON string content (between the quotes) decodes to a name. Decodes nothing: it ends at the
 * first character that differs, so that an object of escaped keys costs a look-up no more than one of plain keys.
 * @param start offset of the first character of the content
 * @param end offset behind its last
 */
export function decodesTo(text: string, start: number, end: number, name: string): boolean {
  const length = end - start;
  if (length < name.length || length > LONGEST_ESCAPE * name.length) return false;
  let at = start;
  for (let i = 0; i < name.length; i++) {
    if (at >= end) return false;
    let unit = text.charCodeAt(at++);
    if (unit === BACKSLASH) {
      const escaped = text.charCodeAt(at++);
      if (escaped === LETTER_U) {
        unit = 0;
        for (let digits = 0; digits < 4; digits++)
          unit = unit * 16 + hexDigit(text.charCodeAt(at++));
      } else {
        unit = CONTROLS.get(escaped) ?? escaped;
      }
    }
    if (unit !== name.charCodeAt(i)) return false;
  }
  return at === end;
}

/** Value of a hexadecimal digit; the low 4 bits of a letter count from 1. */
function hexDigit(code: number): number {
  return (code & 0xf) + (code > 0x39 ? 9 : 0);
}
