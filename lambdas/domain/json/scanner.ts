import { LineageError } from '../errors.ts';

/** Kinds of JSON value, as found on the tape of a {@link JsonDocument}. */
export const Kind = {
  object: 0,
  array: 1,
  string: 2,
  number: 3,
  nonFinite: 4,
  literal: 5,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** Set on the kind of a string that holds an escape: any other is its own spelling. */
export const ESCAPED = 8;

/** A node is its index on the tape. Members of an object follow it as key, value, key, value. */
export type Node = number;
export const NONE: Node = -1;

/** Real events nest below 40 levels; the bound keeps every walk over a document within the stack. */
export const MAX_DEPTH = 500;

/** What a text breaks that is not JSON. */
export type SyntaxRule =
  | 'control_character_in_string'
  | 'expected_colon'
  | 'expected_comma_or_end'
  | 'expected_key'
  | 'invalid_escape'
  | 'invalid_number'
  | 'more_than_one_value'
  | 'too_deep'
  | 'unexpected_character'
  | 'unexpected_end'
  | 'unterminated_string';

/** The text is not JSON. Carries the rule and the offset in UTF-16 units, never the text. */
export class JsonSyntaxError extends LineageError {
  override readonly name = 'JsonSyntaxError';
  readonly rule: SyntaxRule;
  readonly offset: number;

  constructor(rule: SyntaxRule, offset: number) {
    super(rule, `not JSON: ${rule} at offset ${offset}`);
    this.rule = rule;
    this.offset = offset;
  }
}

const WIDTH = 4; // kind, start, end, next
/** A turn of the scan puts a key and a value. */
const WIDTH_OF_TURN = 2 * WIDTH;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
/** Behind a minus, the start of `-Infinity`. */
const CAPITAL_I = 0x49;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Values that are words, by their first character. */
const WORDS: ReadonlyMap<number, readonly [word: string, kind: Kind]> = new Map([
  [0x74, ['true', Kind.literal]],
  [0x66, ['false', Kind.literal]],
  [0x6e, ['null', Kind.literal]],
  [0x4e, ['NaN', Kind.nonFinite]],
  [CAPITAL_I, ['Infinity', Kind.nonFinite]],
]);

/**
 * Scans JSON text once, left to right, onto a flat tape of positions.
 *
 * Accepts RFC 8259 plus `NaN`, `Infinity` and `-Infinity` (the Python client writes them), duplicate
 * keys, lone surrogates and numbers of any size, because what a producer sent is kept to the byte.
 * Refuses comments, trailing commas, raw control characters in strings and more than one value.
 *
 * As fast as JSON.parse (bench json) because all its state is in local variables: a closure over
 * them, or a read through `charCodeAt`, takes twice as long.
 *
 * @param maxDepth of objects and arrays; more only where no walk goes down the document
 * @throws JsonSyntaxError naming the rule and the offset
 */
export function scan(text: string, maxDepth = MAX_DEPTH): Int32Array {
  const codes = codeUnits(text);
  // Real events hold a value in every 18 to 24 characters; denser text enlarges the tape.
  let tape = new Int32Array(Math.max(64, (text.length >> 4) * WIDTH));
  let used = 0;
  let at = 0;
  /** Offset on the tape of the innermost open container; those around it wait on `outer`, so depth costs no stack. */
  let container = NONE;
  const outer: number[] = [];

  // One turn of the loop reads one value, in an object with its key.
  for (;;) {
    if (used + WIDTH_OF_TURN > tape.length) tape = enlarged(tape);
    at = skipSpace(codes, at);
    if (container !== NONE && tape[container] === Kind.object) {
      if (codes[at] !== QUOTE) fail('expected_key', at);
      const key = at;
      at = endOfPlain(codes, at + 1);
      const isPlain = codes[at] === QUOTE;
      at = isPlain ? at + 1 : endOfString(codes, at, text.length);
      used = put(tape, used, isPlain ? Kind.string : Kind.string | ESCAPED, key, at);
      at = skipSpace(codes, at);
      if (codes[at] !== COLON) fail('expected_colon', at);
      at = skipSpace(codes, at + 1);
    }

    const start = at;
    const first = codes[at] as number;
    if (first === QUOTE) {
      at = endOfPlain(codes, at + 1);
      const isPlain = codes[at] === QUOTE;
      at = isPlain ? at + 1 : endOfString(codes, at, text.length);
      used = put(tape, used, isPlain ? Kind.string : Kind.string | ESCAPED, start, at);
    } else if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (outer.length === maxDepth) fail('too_deep', at);
      outer.push(container);
      container = used;
      used = put(tape, used, first === OPEN_OBJECT ? Kind.object : Kind.array, start, 0);
      at = skipSpace(codes, at + 1);
      if (codes[at] !== (first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) continue;
    } else if (isDigit(first) || (first === MINUS && codes[at + 1] !== CAPITAL_I)) {
      at = endOfNumber(codes, at);
      used = put(tape, used, Kind.number, start, at);
    } else {
      if (first === MINUS) at++;
      const [word, kind] = WORDS.get(codes[at] as number) ?? [];
      if (word === undefined || kind === undefined || !text.startsWith(word, at)) {
        fail(at >= text.length ? 'unexpected_end' : 'unexpected_character', at);
      }
      at += word.length;
      used = put(tape, used, kind, start, at);
    }

    // Close every container that ends here, then expect a comma or the end of the text.
    for (;;) {
      at = skipSpace(codes, at);
      if (container === NONE) {
        if (at < text.length) fail('more_than_one_value', at);
        return tape.subarray(0, used);
      }
      const after = codes[at];
      if (after === COMMA) {
        at++;
        break;
      }
      if (after !== (tape[container] === Kind.object ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        fail(at >= text.length ? 'unexpected_end' : 'expected_comma_or_end', at);
      }
      tape[container + 2] = ++at;
      tape[container + 3] = used / WIDTH;
      container = outer.pop() as number;
    }
  }
}

/** Texts up to this length, most events, are spread out in one place; an array of its own for each costs a third of the scan. */
const SHARED_UNITS = 32 * 1024;
const SHARED = new Uint16Array(SHARED_UNITS + 1);
const SHARED_BYTES = Buffer.from(SHARED.buffer);

/** The UTF-16 units of a text and a zero behind them, which ends every run of characters: nothing behind it is read. */
function codeUnits(text: string): Uint16Array {
  if (text.length <= SHARED_UNITS) {
    SHARED_BYTES.write(text, 'utf16le');
    SHARED[text.length] = 0;
    return SHARED;
  }
  const codes = new Uint16Array(text.length + 1);
  Buffer.from(codes.buffer).write(text, 'utf16le');
  return codes;
}

function enlarged(tape: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(tape.length * 2);
  larger.set(tape);
  return larger;
}

/** Puts a node without children on the tape; returns the offset behind it. */
function put(tape: Int32Array, used: number, kind: number, start: number, end: number): number {
  tape[used] = kind;
  tape[used + 1] = start;
  tape[used + 2] = end;
  tape[used + 3] = used / WIDTH + 1;
  return used + WIDTH;
}

function fail(rule: SyntaxRule, offset: number): never {
  throw new JsonSyntaxError(rule, offset);
}

function skipSpace(codes: Uint16Array, from: number): number {
  let at = from;
  let c = codes[at] as number;
  while (c === 0x20 || (c < 0x20 && isBreak(c))) c = codes[++at] as number;
  return at;
}

/** Offset of the first character that does not stand for itself in a string: a quote, a backslash or a control character. */
function endOfPlain(codes: Uint16Array, from: number): number {
  let at = from;
  let c = codes[at] as number;
  while (c >= 0x20 && c !== QUOTE && c !== BACKSLASH) c = codes[++at] as number;
  return at;
}

/**
 * Offset behind the closing quote of a string, from anywhere inside it.
 * @param length of the text
 */
function endOfString(codes: Uint16Array, from: number, length: number): number {
  let at = from;
  for (;;) {
    at = endOfPlain(codes, at);
    const c = codes[at] as number;
    if (c === QUOTE) return at + 1;
    if (c === BACKSLASH) at = endOfEscape(codes, at);
    else {
      fail(at === length ? 'unterminated_string' : 'control_character_in_string', at);
    }
  }
}

function endOfEscape(codes: Uint16Array, at: number): number {
  const escaped = codes[at + 1] as number;
  if (isSimpleEscape(escaped)) return at + 2;
  if (escaped !== 0x75) fail('invalid_escape', at);
  for (let i = 2; i < 6; i++) if (!isHex(codes[at + i] as number)) fail('invalid_escape', at);
  return at + 6;
}

function endOfNumber(codes: Uint16Array, from: number): number {
  let at = codes[from] === MINUS ? from + 1 : from;
  at = codes[at] === 0x30 ? at + 1 : endOfDigits(codes, at);
  if (codes[at] === 0x2e) at = endOfDigits(codes, at + 1);
  if (codes[at] === 0x65 || codes[at] === 0x45) {
    const sign = codes[++at];
    at = endOfDigits(codes, sign === 0x2b || sign === MINUS ? at + 1 : at);
  }
  return at;
}

/** Offset behind one or more digits. */
function endOfDigits(codes: Uint16Array, from: number): number {
  let at = from;
  while (isDigit(codes[at] as number)) at++;
  if (at === from) fail('invalid_number', at);
  return at;
}

function isBreak(c: number): boolean {
  return c === 0x0a || c === 0x0d || c === 0x09;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function isHex(c: number): boolean {
  return isDigit(c) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
}

function isSimpleEscape(c: number): boolean {
  return (
    c === QUOTE ||
    c === BACKSLASH ||
    c === 0x2f ||
    c === 0x62 ||
    c === 0x66 ||
    c === 0x6e ||
    c === 0x72 ||
    c === 0x74
  );
}
