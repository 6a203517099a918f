/** Kinds of tokens: up to {@link LAST_CODE} they may be stored, from {@link FIRST_LITERAL} on never. */
export const WORD = 1;
export const QUOTED = 2;
export const OPERATOR = 3;
export const PARAMETER = 4;
/** The detail of a parameter that begins with two at signs. */
export const SYSTEM_VARIABLE = 2;
export const LAST_CODE = PARAMETER;
export const COMMENT = 5;
export const STRING = 6;
export const FIRST_LITERAL = STRING;
export const NUMBER = 7;
export const BOOLEAN = 8;
/** Text that is no SQL: rows of COPY, inline formats, paths, accounts, templates. */
export const DATA = 9;
export const TEMPLATE = 10;
/** A bare word that is a value, found by a statement rule. */
export const SECRET = 11;
/** From here to the end nothing is sure. */
export const CUT = 12;
/** Part of the literal before it. */
export const GONE = 13;

/**
 * The tokens of one reading, in order; everything between them is white space. Flat arrays: a
 * statement of 200 KB has 60,000 tokens, and an object for each would cost more than lexing.
 */
export class TokenList {
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The keyword of a word (0: none), the character of an operator. */
  readonly details: Uint16Array;
  count = 0;

  constructor(characters: number) {
    const capacity = characters + 2;
    this.kinds = new Uint8Array(capacity);
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.details = new Uint16Array(capacity);
  }

  add(kind: number, start: number, end: number, detail: number): void {
    const index = this.count++;
    this.kinds[index] = kind;
    this.starts[index] = start;
    this.ends[index] = end;
    this.details[index] = detail;
  }

  kind(index: number): number {
    return this.kinds[index] as number;
  }

  start(index: number): number {
    return this.starts[index] as number;
  }

  end(index: number): number {
    return this.ends[index] as number;
  }

  detail(index: number): number {
    return this.details[index] as number;
  }

  isOperator(index: number, code: number): boolean {
    return this.kinds[index] === OPERATOR && this.details[index] === code;
  }

  isKeyword(index: number, keyword: number): boolean {
    return this.kinds[index] === WORD && this.details[index] === keyword;
  }

  /** The first token from `index` on that is no comment and no part of another. */
  solid(index: number): number {
    let at = index;
    while (at < this.count && (this.kinds[at] === COMMENT || this.kinds[at] === GONE)) at++;
    return at;
  }

  /** The last such token before `index`; -1 when there is none. */
  solidBefore(index: number): number {
    let at = index - 1;
    while (at >= 0 && (this.kinds[at] === COMMENT || this.kinds[at] === GONE)) at--;
    return at;
  }

  /**
   * Makes one literal of the tokens from `from` up to `to`, white space between them included. With a cut
   * among them it is a cut.
   */
  fold(from: number, to: number, kind: number): void {
    if (from >= to) return;
    const end = this.end(to - 1);
    const isCut = this.kinds.subarray(from, to).includes(CUT);
    this.kinds[from] = isCut ? CUT : kind;
    this.ends[from] = end;
    for (let at = from + 1; at < to; at++) {
      this.kinds[at] = GONE;
      this.starts[at] = end;
      this.ends[at] = end;
    }
  }
}
