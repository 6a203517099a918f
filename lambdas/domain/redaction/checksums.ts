/** ISO/IEC 7812-1 annex B, over decimal digits. */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    sum += index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

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

/** Lengths of IBANs: SWIFT registry, release 99. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FO GL NL FK SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU XK MN',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM TL SO',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'PT ST LY',
    26: 'IS TR',
    27: 'FR GR IT MC MR SM BI DJ',
    28: 'AL AZ BY CY DO GT HU LB PL SV NI',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) =>
    countries.split(' ').map((country): [string, number] => [country, Number(length)]),
  ),
);

/** The length of a country's IBAN by its two capital letters; undefined where there is none. */
export function ibanLength(country: string): number | undefined {
  return IBAN_LENGTHS.get(country);
}

/** ISO 13616 mod 97, over capital letters and digits. */
export function isIban(text: string): boolean {
  if (text.length !== ibanLength(text.slice(0, 2))) return false;
  let rest = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt((index + 4) % text.length);
    if (code >= 48 && code <= 57) rest = (rest * 10 + code - 48) % 97;
    else if (code >= 65 && code <= 90) rest = (rest * 100 + code - 55) % 97;
    else return false;
  }
  return rest === 1;
}

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);

/** Two digits of month and day each, as most numbers by date of birth have them. */
const isMonthAndDay = (month: string, day: string): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;

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

const VERHOEFF_D = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const VERHOEFF_P = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** India: Aadhaar, Verhoeff; none starts with 0 or 1. */
function isAadhaar(digits: string): boolean {
  if (digits.charCodeAt(0) < 50) return false;
  let check = 0;
  for (let index = 0; index < 12; index++) {
    const digit = Number(digits[11 - index]);
    check = Number(VERHOEFF_D[check]?.[Number(VERHOEFF_P[index % 8]?.[digit])]);
  }
  return check === 0;
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

/** China: resident identity number, ISO 7064 mod 11-2. */
function isChinese(text: string): boolean {
  const year = Number(text.slice(6, 10));
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  return (
    year >= 1900 &&
    year < 2100 &&
    isMonthAndDay(text.slice(10, 12), text.slice(12, 14)) &&
    '10X98765432'[weighted(text, weights) % 11] === text[17]
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

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const CODICE_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
const HETU_LETTERS = '0123456789ABCDEFHJKLMNPRSTUVWXY';

/** A national number with letters in it, in capitals: Spain, Italy, Finland, China with an X. */
export function isLetteredNationalNumber(word: string): boolean {
  if (word.length === 9) {
    const nie = 'XYZ'.indexOf(word.charAt(0));
    const number = nie === -1 ? word.slice(0, 8) : `${nie}${word.slice(1, 8)}`;
    return isDigits(number) && DNI_LETTERS[Number(number) % 23] === word[8];
  }
  if (word.length === 16) return isCodiceFiscale(word);
  if (word.length === 11 && '-+A'.includes(word.charAt(6))) {
    const number = word.slice(0, 6) + word.slice(7, 10);
    return (
      isDigits(number) &&
      isMonthAndDay(number.slice(2, 4), number.slice(0, 2)) &&
      HETU_LETTERS[Number(number) % 31] === word[10]
    );
  }
  return word.length === 18 && isDigits(word.slice(0, 17)) && isChinese(word);
}

/** Italy: six letters, YYMDD, a place and a check letter; digits may be letters where people share a code. */
function isCodiceFiscale(word: string): boolean {
  let sum = 0;
  for (let index = 0; index < 16; index++) {
    const code = word.charCodeAt(index);
    const isLetter = code >= 65 && code <= 90;
    if (!isLetter && !(code >= 48 && code <= 57)) return false;
    if ((index < 6 || index === 8 || index === 11) && !isLetter) return false;
    const value = isLetter ? code - 65 : code - 48;
    if (index < 15) sum += index % 2 === 0 ? (CODICE_ODD[value] as number) : value;
  }
  return 'ABCDEHLMPRST'.includes(word.charAt(8)) && sum % 26 === word.charCodeAt(15) - 65;
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return text !== '';
}
