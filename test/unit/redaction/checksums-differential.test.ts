import fc from 'fast-check';
import validator from 'validator';
import { describe, expect, it } from 'vitest';
import { isCardNumber } from '../../../lambdas/domain/redaction/checksums/card-number.ts';
import { ibanLength, isIban } from '../../../lambdas/domain/redaction/checksums/iban.ts';
import { seeded } from '../../support/seeded.ts';

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((list) => list.join(''));

/** Ranges that both know; ours has networks that validator does not: Maestro, RuPay, Elo, and longer numbers. */
const SHARED_CARDS = fc.oneof(
  fc.tuple(fc.constantFrom('4'), digits(15)),
  fc.tuple(fc.constantFrom('51', '55'), digits(14)),
  fc.tuple(fc.constantFrom('34', '37'), digits(13)),
  fc.tuple(fc.constantFrom('6011'), digits(12)),
);

/** The two characters that make an IBAN of a country and an account. */
function checkCharacters(country: string, account: string): string {
  let rest = 0n;
  for (const char of `${account}${country}00`) {
    rest = (rest * (char > '9' ? 100n : 10n) + BigInt(Number.parseInt(char, 36))) % 97n;
  }
  return String(98n - rest).padStart(2, '0');
}

/** Countries whose accounts are digits only, so that random ones have the right form for validator. */
const DIGIT_COUNTRIES = ['DE', 'AT', 'BE', 'ES', 'DK', 'FI', 'NO', 'PL', 'SE', 'PT', 'HU', 'CZ'];

describe('checksums, asked of another implementation', () => {
  it('agree about cards of networks that both know', () => {
    fc.assert(
      fc.property(SHARED_CARDS, ([prefix, rest]) => {
        const number = prefix + rest;
        expect(isCardNumber(number)).toBe(validator.isCreditCard(number));
      }),
      seeded(20_000),
    );
  });

  it('agree about IBANs, right and wrong', () => {
    const cases = fc.tuple(fc.constantFrom(...DIGIT_COUNTRIES), digits(40), fc.boolean());
    fc.assert(
      fc.property(cases, ([country, random, isRight]) => {
        const account = random.slice(0, (ibanLength(country) as number) - 4);
        const check = isRight ? checkCharacters(country, account) : random.slice(-2);
        const iban = country + check + account;
        expect(isIban(iban)).toBe(validator.isIBAN(iban));
        if (isRight) expect(isIban(iban)).toBe(true);
      }),
      seeded(5_000),
    );
  });
});
