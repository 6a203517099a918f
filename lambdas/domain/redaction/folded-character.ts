const DECIMAL_DIGIT = /^\p{Nd}$/u;
const SPACE = /^[\p{Zs}\p{Zl}\p{Zp}]$/u;
const DASH = /^[\p{Pd}\u2212]$/u;
/** Takes no room: zero-width spaces, soft hyphens, marks of direction, tags, variation selectors. */
const INVISIBLE = /^[\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;

/**
 * The ASCII character that a character is read as (a full-width letter, a digit of any script, a dash,
 * a space), nothing for one that cannot be seen, and any other as it is.
 */
export function foldedCharacter(char: string): string {
  if (INVISIBLE.test(char)) return '';
  if (SPACE.test(char)) return ' ';
  if (DASH.test(char)) return '-';
  const plain = char.normalize('NFKC');
  if (plain.length === 1 && plain.charCodeAt(0) < 128) return plain;
  return DECIMAL_DIGIT.test(plain) ? String(valueOfDigit(plain)) : char;
}

/** Digits of a script stand in a row that begins with its zero. */
function valueOfDigit(char: string): number {
  const code = char.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && DECIMAL_DIGIT.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}
