import { isSpaceCode, isWordCode } from './characters.ts';

const PARAMETER_SIGNS = '$@:';
const BEYOND_ASCII = 128;

/**
 * Canonical text of a redacted statement for its fingerprint: words in lower case, one space between
 * tokens, placeholders and parameters alike, lists of IN and VALUES without their length. Statements that
 * differ in values only have the same shape. The caller makes an HMAC of it: names can be looked up.
 */
export function shapeOf(redacted: string): string {
  const lower = redacted.toLowerCase();
  // Some letters change their length with their case.
  const folded = lower.length === redacted.length ? lower : redacted;
  const shape = new ShapeBuilder();
  let at = 0;
  while (at < folded.length) {
    const code = folded.charCodeAt(at);
    if (isSpaceCode(code)) at++;
    else {
      const end = endOfToken(folded, at);
      // The case of a quoted name counts.
      const isQuoted = code === 34 || code === 96;
      shape.add((isQuoted ? redacted : folded).slice(at, end));
      at = end;
    }
  }
  return shape.text.slice(1);
}

function endOfToken(text: string, start: number): number {
  const first = text[start] as string;
  if (first === '"' || first === '`') {
    const end = text.indexOf(first, start + 1);
    return end === -1 ? text.length : end + 1;
  }
  let at = start;
  if (PARAMETER_SIGNS.includes(first)) at++;
  while (at < text.length && isName(text.charCodeAt(at))) at++;
  return Math.max(at, start + 1);
}

function isName(code: number): boolean {
  return isWordCode(code) || code >= BEYOND_ASCII;
}

/** Joins tokens, and collapses lists of values while they close. */
class ShapeBuilder {
  text = '';
  private last = '';
  private opener = '';
  /** Where the text stood before a list of nothing but values; -1 outside one. */
  private listStart = -1;
  /** The text ends with a collapsed row of VALUES, and perhaps a comma. */
  private row: '' | 'row' | 'comma' = '';

  add(token: string): void {
    const isValue = token === '?' || (token.length > 1 && PARAMETER_SIGNS.includes(token[0] as string));
    const isNextRow = token === '(' && this.row === 'comma';
    if (isNextRow || (token === '(' && (this.last === 'in' || this.last === 'values'))) {
      this.listStart = this.text.length;
      this.opener = isNextRow ? 'values' : this.last;
    } else if (token === ')' && this.listStart !== -1) {
      return this.closeList();
    } else if (!isValue && token !== ',' && token !== '-') {
      this.listStart = -1;
    }
    if (!isNextRow && this.listStart === -1) this.row = this.row === 'row' && token === ',' ? 'comma' : '';
    this.text += isValue ? ' ?' : ` ${token}`;
    this.last = token;
  }

  private closeList(): void {
    // The row before it says the same already.
    const isSame = this.row === 'comma';
    const head = this.text.slice(0, this.listStart);
    this.text = isSame ? head.slice(0, -' ,'.length) : `${head} (?+)`;
    this.row = this.opener === 'values' ? 'row' : '';
    this.listStart = -1;
    this.last = ')';
  }
}
