import type { JsonDocument } from './document.ts';
import { Kind, type Node } from './scanner.ts';

/** What a text holds that parsers read differently, or lose. */
export type TextOddity =
  | 'duplicate_keys'
  | 'escaped_keys'
  | 'lone_surrogates'
  | 'non_finite_numbers'
  | 'numbers_beyond_double';

/** Objects up to this size are searched for duplicates pair by pair, which costs no set. */
const FEW_KEYS = 12;

/** A decimal of up to this many characters, without an exponent, survives a double (IEEE 754: 15 digits do). */
const SAFE_NUMBER_CHARACTERS = 15;

/** Finds every {@link TextOddity} of a document in one walk over its nodes. */
export function findOddities(document: JsonDocument): Set<TextOddity> {
  const found = new Set<TextOddity>();
  for (let node = 0; node < document.size; node++) {
    const kind = document.kind(node);
    if (kind === Kind.string) {
      if (document.isEscaped(node) && !isWellFormed(document, node)) found.add('lone_surrogates');
    } else if (kind === Kind.object) {
      lookAtKeys(document, node, found);
    } else if (kind === Kind.number) {
      if (!survivesDouble(document, node)) found.add('numbers_beyond_double');
    } else if (kind === Kind.nonFinite) {
      found.add('non_finite_numbers');
    }
  }
  return found;
}

function lookAtKeys(document: JsonDocument, object: Node, found: Set<TextOddity>): void {
  const end = document.next(object);
  let count = 0;
  let isPlain = true;
  for (let key = object + 1; key < end; key = document.next(key + 1)) {
    if (document.isEscaped(key)) isPlain = false;
    count++;
  }
  if (!isPlain) found.add('escaped_keys');
  if (found.has('duplicate_keys') || count < 2) return;
  const repeats = isPlain && count <= FEW_KEYS ? hasDuplicateAmongFew : hasDuplicate;
  if (repeats(document, object, end)) found.add('duplicate_keys');
}

function hasDuplicate(document: JsonDocument, object: Node, end: Node): boolean {
  const names = new Set<string>();
  for (let key = object + 1; key < end; key = document.next(key + 1)) {
    const name = document.string(key) as string;
    if (names.has(name)) return true;
    names.add(name);
  }
  return false;
}

function hasDuplicateAmongFew(document: JsonDocument, object: Node, end: Node): boolean {
  for (let key = object + 1; key < end; key = document.next(key + 1)) {
    const name = document.string(key) as string;
    for (let other = document.next(key + 1); other < end; other = document.next(other + 1)) {
      if (document.isNamed(other, name)) return true;
    }
  }
  return false;
}

function isWellFormed(document: JsonDocument, node: Node): boolean {
  return (document.string(node) as string).isWellFormed();
}

/** Whether a number keeps its value in a double, as JSON.parse and most consumers read it. */
function survivesDouble(document: JsonDocument, node: Node): boolean {
  const raw = document.raw(node);
  const hasExponent = raw.includes('e') || raw.includes('E');
  if (raw.length <= SAFE_NUMBER_CHARACTERS && !hasExponent) return true;
  const value = Number(raw);
  return Number.isFinite(value) && decimalOf(raw) === decimalOf(String(value));
}

/** A spelling of a number that two spellings of the same decimal share: significant digits and their power of ten. */
function decimalOf(spelling: string): string {
  const unsigned = spelling.startsWith('-') ? spelling.slice(1) : spelling;
  const [mantissa = '', exponent = '0'] = unsigned.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === '0') first++;
  let last = digits.length;
  while (last > first && digits[last - 1] === '0') last--;
  if (first === last) return '0';
  return `${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`;
}
