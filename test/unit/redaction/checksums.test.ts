import { describe, expect, it } from 'vitest';
import { isCardNumber } from '../../../lambdas/domain/redaction/checksums/card-number.ts';
import { isGroupedNationalNumber } from '../../../lambdas/domain/redaction/checksums/grouped-national-number.ts';
import { isIban } from '../../../lambdas/domain/redaction/checksums/iban.ts';
import { isLetteredNationalNumber } from '../../../lambdas/domain/redaction/checksums/lettered-national-number.ts';
import { hasLuhnDigit } from '../../../lambdas/domain/redaction/checksums/luhn.ts';
import { isNationalNumber } from '../../../lambdas/domain/redaction/checksums/national-number.ts';

/** The number with one digit changed: every scheme here promises to notice. */
function withOtherDigit(number: string): string[] {
  return [...number].flatMap((char, index) =>
    /\d/.test(char)
      ? [`${number.slice(0, index)}${(Number(char) + 1) % 10}${number.slice(index + 1)}`]
      : [],
  );
}

describe('checksums', () => {
  // Test numbers that the networks publish for shops.
  it.each([
    '4111111111111111',
    '4012888888881881',
    '4222222222222',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '6011111111111117',
    '3530111333300000',
    '30569309025904',
    '6759649826438453',
    '6200000000000005',
  ])('know the card %s', (number) => {
    expect(isCardNumber(number)).toBe(true);
    for (const other of withOtherDigit(number)) expect(hasLuhnDigit(other)).toBe(false);
  });

  it.each(['0000000000000000', '1111111111111117', '9999999999999995', '411111111111111'])(
    'know that %s is no card',
    (number) => expect(isCardNumber(number)).toBe(false),
  );

  // Examples of the SWIFT registry.
  it.each([
    'GB29NWBK60161331926819',
    'DE89370400440532013000',
    'FR1420041010050500013M02606',
    'NO9386011117947',
    'MT84MALT011000012345MTLCAST001S',
    'CH9300762011623852957',
    'SA0380000000608010167519',
  ])('know the IBAN %s', (iban) => {
    expect(isIban(iban)).toBe(true);
    for (const other of withOtherDigit(iban)) expect(isIban(other)).toBe(false);
  });

  it.each([
    ['CPF', '52998224725'],
    ['PESEL', '44051401359'],
    ['rijksregisternummer', '85073003328'],
    ['fødselsnummer', '01010750160'],
    ['Steuer-ID', '86095742719'],
    ['AHV', '7569217076985'],
    ['NIR', '255081416802538'],
    ['resident identity number', '11010519491231002X'.slice(0, 17)],
  ])('know %s %s', (_name, number) => {
    if (number.length === 17) expect(isLetteredNationalNumber(`${number}X`)).toBe(true);
    else {
      expect(isNationalNumber(number)).toBe(true);
      const kept = withOtherDigit(number).filter(isNationalNumber);
      expect(kept.length).toBeLessThan(number.length / 2);
    }
  });

  it.each([
    ['SSN', '078-05-1120'],
    ['SIN', '046 454 286'],
    ['NHS', '943 476 5919'],
    ['Aadhaar', '2341 2341 2346'],
    ['personnummer', '811218-9876'],
    ['CPR', '070761-4285'],
    ['RRN', '900101-1234567'],
    ['BSN', '111.222.333'],
  ])('know %s in its groups: %s', (_name, number) => {
    const separator = /[ .-]/.exec(number)?.[0] as string;
    expect(isGroupedNationalNumber(number.split(separator), separator)).toBe(true);
  });

  it.each(['12345678Z', 'X1234567L', 'RSSMRA85T10A562S', '131052-308T', '11010519491231002X'])(
    'know %s with its letters',
    (word) => {
      expect(isLetteredNationalNumber(word)).toBe(true);
      const last = word.at(-1) === 'A' ? 'B' : 'A';
      expect(isLetteredNationalNumber(word.slice(0, -1) + last)).toBe(false);
    },
  );

  it.each(['000-12-3456', '666-12-3456', '900-12-3456', '123-00-4567', '123-45-0000'])(
    'know that %s was never given out',
    (number) => expect(isGroupedNationalNumber(number.split('-'), '-')).toBe(false),
  );
});
