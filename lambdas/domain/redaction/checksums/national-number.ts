import { isMonthAndDay, weighted } from './parts.ts';
import { isChinese } from './resident-identity-number.ts';

/** Brazil: CPF. Eleven equal digits fulfil the sum and are none. */
function isCpf(digits: string): boolean {
  if (digits === digits.charAt(0).repeat(11)) return false;
  const check = (count: number) => {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += Number(digits[index]) * (count + 1 - index);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Poland: PESEL; the month says the century. */
function isPesel(digits: string): boolean {
  const month = String(Number(digits.slice(2, 4)) % 20);
  const sum = weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
  return isMonthAndDay(month, digits.slice(4, 6)) && (10 - (sum % 10)) % 10 === Number(digits[10]);
}

/** Norway: fødselsnummer and D-number (day + 40), two check digits. */
function isNorwegian(digits: string): boolean {
  const day = String(Number(digits.slice(0, 2)) % 40);
  return (
    isMonthAndDay(digits.slice(2, 4), day) &&
    weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  );
}

/** Belgium: rijksregisternummer, 97 minus the rest; from 2000 on with a 2 in front. */
function isBelgian(digits: string): boolean {
  const [head, check] = [digits.slice(0, 9), Number(digits.slice(9))];
  return (
    isMonthAndDay(String(Number(digits.slice(2, 4)) % 20), digits.slice(4, 6)) &&
    (97 - (Number(head) % 97) === check || 97 - (Number(`2${head}`) % 97) === check)
  );
}

/** Germany: steuerliche Identifikationsnummer; one digit comes twice or thrice in the first ten. ISO/IEC 7064 mod 11, 10. */
function isSteuerId(digits: string): boolean {
  const head = digits.slice(0, 10);
  const counts = [...new Set(head)].map((digit) => head.split(digit).length - 1);
  const isTwiceOrThrice = counts.length === 9 || (counts.length === 8 && counts.includes(3));
  if (digits[0] === '0' || !isTwiceOrThrice) return false;
  let product = 10;
  for (const digit of head) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** Switzerland: AHV number, EAN-13 in the range 756. */
function isAhv(digits: string): boolean {
  const sum = weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
  return digits.startsWith('756') && (10 - (sum % 10)) % 10 === Number(digits[12]);
}

/** France: NIR of fifteen digits, 97 minus the rest. */
function isNir(digits: string): boolean {
  const month = Number(digits.slice(3, 5));
  return (
    (digits[0] === '1' || digits[0] === '2') &&
    ((month >= 1 && month <= 12) || month >= 20) &&
    97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13))
  );
}

/**
 * A national number that its own digits prove: two check digits, a check digit and a date, or a
 * range and a long check. Punctuation must be gone.
 */
export function isNationalNumber(digits: string): boolean {
  switch (digits.length) {
    case 11:
      return (
        isCpf(digits) ||
        isPesel(digits) ||
        isNorwegian(digits) ||
        isBelgian(digits) ||
        isSteuerId(digits)
      );
    case 13:
      return isAhv(digits);
    case 15:
      return isNir(digits);
    case 18:
      return isChinese(digits);
    default:
      return false;
  }
}
