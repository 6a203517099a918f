import { endOfRun, isAlphanumeric, isDigit, isWordPart } from './characters.ts';
import { isCardNumber } from './checksums/card-number.ts';
import { isGroupedNationalNumber } from './checksums/grouped-national-number.ts';
import { ibanLength, isIban } from './checksums/iban.ts';
import { isLetteredNationalNumber } from './checksums/lettered-national-number.ts';
import { isNationalNumber } from './checksums/national-number.ts';
import { type DigitGroups, digitGroups } from './digit-groups.ts';
import type { Finding } from './finding.ts';

/** The shortest national number that a check proves, and the longest card number. */
const MIN_PROVEN_DIGITS = 9;
const MAX_PROVEN_DIGITS = 19;
/** Longer ones than a card's sixteen are the ids of snapshots and clusters far more often. */
const MAX_BARE_CARD_DIGITS = 16;
const MIN_BARE_CARD_DIGITS = 14;

/** How cards are printed: Visa and most others, American Express, Diners, nineteen digits. */
const CARD_GROUPS = new Set(['4-4-4-4', '4-6-5', '4-6-4', '4-4-4-4-3']);
/** Belgian numbers have more than one separator. */
const MIXED_GROUPS = new Set(['2-2-2-3-2']);

/** The card or national number that the digits at a word's start make, perhaps in groups. */
export function findDigits(text: string, at: number, end: number): Finding | undefined {
  if (!isDigit(text.charCodeAt(at))) return undefined;
  // The digits behind a decimal point are a number's.
  if (text[at - 1] === '.' && isDigit(text.charCodeAt(at - 2))) return undefined;
  const groups = digitGroups(text, at, end, MIN_PROVEN_DIGITS);
  if (groups === undefined) return undefined;
  for (let count = groups.lengths.length; count > 0; count--) {
    const taken = firstOf(groups, count);
    if (taken.digits.length < MIN_PROVEN_DIGITS) break;
    const rule = taken.digits.length > MAX_PROVEN_DIGITS ? undefined : ruleFor(taken);
    if (rule !== undefined) return { start: at, end: groups.ends[count - 1] as number, rule };
  }
  return undefined;
}

interface TakenGroups {
  readonly digits: string;
  readonly groups: readonly string[];
  /** The one separator; undefined when there are others. */
  readonly separator: string | undefined;
}

function firstOf({ text, lengths, ends, separators }: DigitGroups, count: number): TakenGroups {
  const groups = lengths.slice(0, count).map((length, index) => {
    const end = ends[index] as number;
    return text.slice(end - length, end);
  });
  const between = separators.slice(0, count - 1);
  const [first = ''] = between;
  const last = between.length - 1;
  // Brazil's has a dash behind its dots.
  const isUniform = between.every(
    (one, index) => one === first || (first === '.' && one === '-' && index === last),
  );
  return { digits: groups.join(''), groups, separator: isUniform ? first : undefined };
}

function ruleFor({ digits, groups, separator }: TakenGroups): string | undefined {
  if (groups.length === 1) return ruleForBareDigits(digits);
  const shape = groups.map(({ length }) => length).join('-');
  if (CARD_GROUPS.has(shape) && isCardNumber(digits)) return 'card_number';
  if (separator === undefined || !' -.'.includes(separator)) {
    return MIXED_GROUPS.has(shape) && isNationalNumber(digits) ? 'national_number' : undefined;
  }
  if (shape.startsWith('4-2-2') && /^(?:19|20)\d\d[01]\d[0-3]/.test(digits)) return undefined; // a date
  if (isCardNumber(digits)) return 'card_number';
  return isNationalNumber(digits) || isGroupedNationalNumber(groups, separator)
    ? 'national_number'
    : undefined;
}

function ruleForBareDigits(digits: string): string | undefined {
  if (isBareCardNumber(digits)) return 'card_number';
  return isNationalNumber(digits) ? 'national_number' : undefined;
}

/** A card number without groups or a label; UnionPay really gives out long ones. */
function isBareCardNumber(digits: string): boolean {
  const isUsual = digits.length >= MIN_BARE_CARD_DIGITS && digits.length <= MAX_BARE_CARD_DIGITS;
  return (isUsual || digits.startsWith('62')) && isCardNumber(digits);
}

/** `tmp_4111111111111111`, `card4111111111111111USD`: the digits that start here in a longer word that is no hash. */
export function findDigitsInside(text: string, at: number, wordEnd: number): Finding | undefined {
  if (!isDigit(text.charCodeAt(at)) || isDigit(text.charCodeAt(at - 1))) return undefined;
  const end = endOfRun(text, at, isDigit, Math.min(wordEnd - at, MAX_PROVEN_DIGITS + 1));
  if (end - at < MIN_INSIDE_DIGITS || end - at > MAX_PROVEN_DIGITS) return undefined;
  const rule = ruleInside(text, at, end);
  return rule === undefined ? undefined : { start: at, end, rule };
}

/** @param start of digits in a word, up to `end` */
function ruleInside(text: string, start: number, end: number): string | undefined {
  let piece = start;
  while (start - piece < MIN_HASH_CHARACTERS && isAlphanumeric(text.charCodeAt(piece - 1))) piece--;
  const stop = endOfRun(text, end, isAlphanumeric, MIN_HASH_CHARACTERS);
  const isHash = stop - piece >= MIN_HASH_CHARACTERS && HEXADECIMAL.test(text.slice(piece, stop));
  if (isHash) return undefined;
  const digits = text.slice(start, end);
  if (isBareCardNumber(digits)) return 'card_number';
  const isLast = end === stop && !DIGIT.test(text.slice(piece, start));
  return isLast && isNationalNumber(digits) ? 'national_number' : undefined;
}

/** Hashes and ids in hexadecimal digits have as many, and no national number in letters. */
const MIN_HASH_CHARACTERS = 20;
const MIN_INSIDE_DIGITS = 11;
const HEXADECIMAL = /^[0-9a-f]+$/i;
const DIGIT = /\d/;

/** The IBAN that starts here, in one piece or in groups. */
export function findIban(text: string, at: number): Finding | undefined {
  const isHead =
    isDigit(text.charCodeAt(at + 2)) &&
    isDigit(text.charCodeAt(at + 3)) &&
    !isDigit(text.charCodeAt(at));
  if (!isHead) return undefined;
  const length = ibanLength(text.slice(at, at + 2).toUpperCase());
  if (length === undefined) return undefined;
  let digits = '';
  let end = at;
  while (digits.length < length) {
    const code = text.charCodeAt(end);
    if (isAlphanumeric(code)) digits += text[end];
    else if (!' -._'.includes(text[end] ?? 'x') || !isAlphanumeric(text.charCodeAt(end + 1)))
      return undefined;
    end++;
  }
  const isWhole = !isAlphanumeric(text.charCodeAt(end)) && isIban(digits.toUpperCase());
  return isWhole ? { start: at, end, rule: 'iban' } : undefined;
}

/** The national number with letters in it that a word is. */
export function findLetteredNumber(text: string, at: number, end: number): Finding | undefined {
  const length = letteredLength(text, at, end - at);
  if (length === undefined || isWordPart(text.charCodeAt(at + length))) return undefined;
  const word = text.slice(at, at + length).toUpperCase();
  if (!isLetteredNationalNumber(word)) return undefined;
  return { start: at, end: at + length, rule: 'national_number' };
}

/** How many characters a national number with letters would have here; undefined for most words. */
function letteredLength(text: string, at: number, length: number): number | undefined {
  if (length === 16) return 16;
  if (length === 9) return isDigit(text.charCodeAt(at + 2)) ? 9 : undefined;
  if (!isDigit(text.charCodeAt(at))) return undefined;
  const isBirthDate = length === 6 && (text[at + 6] === '-' || text[at + 6] === '+');
  return length === 11 || length === 18 ? length : isBirthDate ? 11 : undefined;
}
