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
