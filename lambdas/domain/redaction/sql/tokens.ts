/** Kinds of tokens: up to {@link LAST_CODE} they may be stored, from {@link FIRST_LITERAL} on never. */
export const WORD = 1;
export const QUOTED = 2;
export const OPERATOR = 3;
export const PARAMETER = 4;
/** The detail of a parameter that begins with two at signs. */
export const SYSTEM_VARIABLE = 2;
export const LAST_CODE = 4;
export const COMMENT = 5;
export const STRING = 6;
export const FIRST_LITERAL = 6;
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
const KINDS = 14;

/** Kind and detail share a number: the detail of an operator or a keyword fits into 16 bits. */
const DETAIL_SHIFT = 8;
const KIND_MASK = 0xff;
const FIELDS = 3;
/** Of statements as they are; for others the list grows. */
const CHARACTERS_PER_TOKEN = 3;
const FEWEST_TOKENS = 16;

/**
 * The tokens of one reading, in order; everything between them is white space. Before the first and behind
 * the last one there is none of any kind. One flat array: a statement of 200 KB has 60,000 tokens, and an
 * object for each would cost more than lexing.
 */
export class TokenList {
  count = 0;
  private fields: Int32Array;

  constructor(characters: number) {
    const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN) + FEWEST_TOKENS;
    this.fields = new Int32Array(tokens * FIELDS);
  }

  add(kind: number, start: number, end: number, detail: number): void {
    const at = this.count++ * FIELDS;
    if (at === this.fields.length) this.grow();
    this.fields[at] = kind | (detail << DETAIL_SHIFT);
    this.fields[at + 1] = start;
    this.fields[at + 2] = end;
  }

  /** Forgets the tokens from one on. */
  drop(from: number): void {
    this.fields.fill(0, from * FIELDS, this.count * FIELDS);
    this.count = from;
  }

  private grow(): void {
    const larger = new Int32Array(this.fields.length * 2);
    larger.set(this.fields);
    this.fields = larger;
  }

  kind(index: number): number {
    return (this.fields[index * FIELDS] as number) & KIND_MASK;
  }

  start(index: number): number {
    return this.fields[index * FIELDS + 1] as number;
  }

  end(index: number): number {
    return this.fields[index * FIELDS + 2] as number;
  }

  /** The keyword of a word (0: none), the character of an operator. */
  detail(index: number): number {
    return (this.fields[index * FIELDS] as number) >> DETAIL_SHIFT;
  }

  setKind(index: number, kind: number): void {
    const at = index * FIELDS;
    this.fields[at] = ((this.fields[at] as number) & ~KIND_MASK) | kind;
  }

  setEnd(index: number, end: number): void {
    this.fields[index * FIELDS + 2] = end;
  }

  isOperator(index: number, code: number): boolean {
    return this.fields[index * FIELDS] === (OPERATOR | (code << DETAIL_SHIFT));
  }

  isKeyword(index: number, keyword: number): boolean {
    return this.fields[index * FIELDS] === (WORD | (keyword << DETAIL_SHIFT));
  }

  isKeywordOf(index: number, set: Uint8Array): boolean {
    const field = this.fields[index * FIELDS] as number;
    return (field & KIND_MASK) === WORD && set[field >> DETAIL_SHIFT] === 1;
  }

  /** The first keyword of a set from one token on and before another, which is the answer when there is none. */
  nextKeyword(from: number, to: number, set: Uint8Array): number {
    let at = from;
    while (at < to && !this.isKeywordOf(at, set)) at++;
    return at;
  }

  /** How many tokens of each kind there are. */
  countKinds(): Uint32Array {
    const counts = new Uint32Array(KINDS);
    for (let at = 0; at < this.count; at++) (counts[this.kind(at)] as number)++;
    return counts;
  }

  /** The first token from `index` on that is no comment and no part of another. */
  solid(index: number): number {
    let at = index;
    while (at < this.count && this.isHollow(at)) at++;
    return at;
  }

  /** The last such token before `index`; -1 when there is none. */
  solidBefore(index: number): number {
    let at = index - 1;
    while (at >= 0 && this.isHollow(at)) at--;
    return at;
  }

  private isHollow(index: number): boolean {
    const kind = this.kind(index);
    return kind === COMMENT || kind === GONE;
  }

  /**
   * Makes one literal of the tokens from `from` up to `to`, white space between them included. With a cut
   * among them it is a cut.
   */
  fold(from: number, to: number, kind: number): void {
    if (from >= to) return;
    const end = this.end(to - 1);
    let folded = kind;
    for (let at = from; at < to; at++) {
      if (this.kind(at) === CUT) folded = CUT;
      const field = at * FIELDS;
      this.fields[field] = GONE;
      if (at > from) this.fields[field + 1] = end;
      this.fields[field + 2] = end;
    }
    this.fields[from * FIELDS] = folded;
  }
}
