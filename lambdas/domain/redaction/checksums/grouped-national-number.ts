import { isAadhaar } from './aadhaar.ts';
import { hasLuhnDigit } from './luhn.ts';
import { isMonthAndDay, weighted } from './parts.ts';

/** Netherlands: BSN, the eleven test. */
const isBsn = (digits: string): boolean =>
  weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && Number(digits) > 0;

/** United Kingdom: NHS number, mod 11. */
const isNhs = (digits: string): boolean =>
  (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(digits[9]);

/** United States: social security numbers have no check digit, but ranges that were never given out. */
const isSsn = (area: string, group: string, serial: string): boolean =>
  area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';

/**
 * A national number that only its customary groups set apart from any other number: one check digit
 * lets a tenth of all numbers through. Groups are digits between single spaces, dashes or dots.
 */
export function isGroupedNationalNumber(groups: readonly string[], separator: string): boolean {
  const digits = groups.join('');
  switch (groups.map(({ length }) => length).join('-')) {
    case '3-2-4':
      return (
        separator !== '.' && isSsn(groups[0] as string, groups[1] as string, groups[2] as string)
      );
    case '3-3-3':
      return hasLuhnDigit(digits) || isBsn(digits); // Canada: SIN
    case '4-2-3':
      return isBsn(digits);
    case '3-3-4':
      return separator !== '.' && isNhs(digits);
    case '4-4-4':
      return isAadhaar(digits);
    case '6-4':
    case '8-4': {
      // Sweden: personnummer; Denmark: CPR, whose check digit is given up.
      const birth = digits.slice(-10, -4);
      return (
        separator === '-' &&
        ((isMonthAndDay(birth.slice(2, 4), String(Number(birth.slice(4)) % 60)) &&
          hasLuhnDigit(digits.slice(-10))) ||
          (groups[0]?.length === 6 && isMonthAndDay(birth.slice(2, 4), birth.slice(0, 2))))
      );
    }
    case '6-7':
      // South Korea: resident registration number.
      return (
        separator === '-' &&
        isMonthAndDay(digits.slice(2, 4), digits.slice(4, 6)) &&
        '12345678'.includes(digits.charAt(6))
      );
    default:
      return false;
  }
}
