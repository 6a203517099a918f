import { hasLuhnDigit } from './luhn.ts';

/** Lengths of card numbers by the range of their first digits: networks of ISO/IEC 7812 that issue payment cards. */
const CARD_RANGES: ReadonlyArray<readonly [from: number, to: number, lengths: readonly number[]]> =
  [
    [4000, 4999, [13, 16, 19]], // Visa
    [5100, 5599, [16]], // Mastercard
    [2221, 2720, [16]], // Mastercard
    [2200, 2204, [16, 17, 18, 19]], // Mir
    [3400, 3499, [15]], // American Express
    [3700, 3799, [15]], // American Express
    [3000, 3059, [14, 16]], // Diners
    [3600, 3699, [14, 16]], // Diners
    [3800, 3999, [14, 16]], // Diners
    [3528, 3589, [16, 17, 18, 19]], // JCB
    [6011, 6011, [16, 19]], // Discover
    [6200, 6299, [16, 17, 18, 19]], // UnionPay
    [6440, 6599, [16, 19]], // Discover
    [5000, 5099, [12, 13, 14, 15, 16, 17, 18, 19]], // Maestro
    [5600, 5899, [12, 13, 14, 15, 16, 17, 18, 19]], // Maestro
    [6000, 6099, [16]], // RuPay, Elo
    [6300, 6399, [16, 17, 18, 19]], // Maestro
    [6700, 6799, [16, 17, 18, 19]], // Maestro
    [8100, 8199, [16]], // RuPay
  ];

/** A payment card number: a network's first digits, one of its lengths, and the Luhn digit. */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 12 || digits.length > 19) return false;
  const head = Number(digits.slice(0, 4));
  const known = CARD_RANGES.some(
    ([from, to, lengths]) => head >= from && head <= to && lengths.includes(digits.length),
  );
  return known && hasLuhnDigit(digits);
}
