import { isMonthAndDay } from './parts.ts';
import { isChinese } from './resident-identity-number.ts';

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const CODICE_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
/** `+` 1800s, the next six 1900s, the last six 2000s. */
const HETU_CENTURIES = '+-YXWVUABCDEF';
const HETU_LETTERS = '0123456789ABCDEFHJKLMNPRSTUVWXY';

/** United Kingdom: national insurance number. It has no check, but prefixes that are never given out. */
const NINO = /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/;

/** A national number with letters in it, in capitals: United Kingdom, Spain, Italy, Finland, China with an X. */
export function isLetteredNationalNumber(word: string): boolean {
  if (word.length === 9) {
    if (NINO.test(word)) return true;
    const nie = 'XYZ'.indexOf(word.charAt(0));
    const number = nie === -1 ? word.slice(0, 8) : `${nie}${word.slice(1, 8)}`;
    return isDigits(number) && DNI_LETTERS[Number(number) % 23] === word[8];
  }
  if (word.length === 16) return isCodiceFiscale(word);
  if (word.length === 11 && HETU_CENTURIES.includes(word.charAt(6))) {
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
