import { isAlphanumeric, isDigit } from './characters.ts';
import type { Finding } from './finding.ts';

/** What stands before a number whose check nobody needs to do. */
const LABELS = new Set(
  'ssn sin bsn nhs nif nie dni tfn cpf pesel nir nino iban aadhaar pan cvv cvc passport taxid steuerid insee creditcard cardnumber'.split(
    ' ',
  ),
);
/** The same with `number` or `no` behind. */
const LABELS_OF_NUMBERS = new Set([
  ...LABELS,
  ...'socialsecurity socialinsurance nationalinsurance nationalid creditcard debitcard card tax taxpayer identitycard idcard driverlicense drivinglicence'.split(
    ' ',
  ),
]);
const NUMBER_WORDS = new Set(['number', 'no', 'nr', 'num']);
const MAX_LABEL_WORDS = 2;

const MAX_GAP_CHARACTERS = 4;
const MIN_DIGITS = 3;
const MAX_LABEL_CHARACTERS = 20;
/** 19 digits with a separator behind each. */
const MAX_NUMBER_CHARACTERS = 38;

/** The last two letters of the words above, five bits each: most words do not end so. */
const ENDINGS = new Uint8Array(1024);
for (const label of [...LABELS, ...NUMBER_WORDS]) ENDINGS[endingOf(label, label.length)] = 1;

/** The number at a word's start that a label in front of it says what it is. */
export function findLabelledNumber(text: string, at: number): Finding | undefined {
  let end = at;
  while (end > 0 && at - end < MAX_GAP_CHARACTERS && isGap(text.charCodeAt(end - 1))) end--;
  if (end === at || ENDINGS[endingOf(text, end)] === 0 || isDigit(text.charCodeAt(end - 1)))
    return undefined;
  const stop = endOfNumber(text, at);
  if (stop === undefined || !isLabel(text, end)) return undefined;
  return { start: at, end: stop, rule: 'national_number' };
}

/** Offset behind the letters and digits here, and the groups of digits that follow; undefined when the digits are few. */
function endOfNumber(text: string, at: number): number | undefined {
  let stop = at;
  let digits = 0;
  for (let next = at; next < at + MAX_NUMBER_CHARACTERS; next++) {
    const code = text.charCodeAt(next);
    if (isDigit(code)) digits++;
    else if (isAlphanumeric(code) ? stop < next : code !== 45 && code !== 32 && code !== 46) break;
    if (isAlphanumeric(code)) stop = next + 1;
  }
  return digits < MIN_DIGITS ? undefined : stop;
}

function isLabel(text: string, end: number): boolean {
  const start = startOfLabel(text, end);
  const last = plain(text, start, end);
  if (LABELS.has(last)) return true;
  if (!NUMBER_WORDS.has(last)) {
    // `passport_number`, `cardNo`
    return (
      /(?:number|num|no|nr)$/.test(last) &&
      LABELS_OF_NUMBERS.has(last.replace(/(?:number|num|no|nr)$/, ''))
    );
  }
  let words = '';
  let before = start;
  for (let count = 0; count < MAX_LABEL_WORDS && before > 0; count++) {
    const wordEnd = before - 1;
    before = startOfLabel(text, wordEnd);
    words = plain(text, before, wordEnd) + words;
    if (LABELS_OF_NUMBERS.has(words)) return true;
  }
  return false;
}

function startOfLabel(text: string, end: number): number {
  let start = end;
  while (
    start > 0 &&
    end - start <= MAX_LABEL_CHARACTERS &&
    isLabelPart(text.charCodeAt(start - 1))
  )
    start--;
  return start;
}

function plain(text: string, start: number, end: number): string {
  return text.slice(start, end).toLowerCase().replaceAll('_', '');
}

function endingOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) & 31) << 5) | (text.charCodeAt(end - 1) & 31);
}

const isLabelPart = (code: number) => code === 95 || (isAlphanumeric(code) && !isDigit(code));
/** What may stand between: ` :=#"'.-` */
const isGap = (code: number) =>
  code === 32 ||
  code === 58 ||
  code === 61 ||
  code === 35 ||
  code === 34 ||
  code === 39 ||
  code === 46 ||
  code === 45;
