import { endOfRun, isAlphanumeric, isDigit } from './characters.ts';

/** Digits that may be one number: groups with little between them. */
export interface DigitGroups {
  readonly text: string;
  readonly lengths: readonly number[];
  /** Offset behind each group. */
  readonly ends: readonly number[];
  /** What stands behind each group but the last. */
  readonly separators: readonly string[];
}

const MAX_GROUPS = 8;
const MAX_GROUP_DIGITS = 20;
/** ` - ` */
const MAX_SEPARATOR_CHARACTERS = 3;

const isSeparator = (code: number) =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 95;

/**
 * The digits from a word's start on, group by group; undefined when they are fewer than `least`.
 * @param end of the word; a letter in it ends the search
 */
export function digitGroups(
  text: string,
  at: number,
  end: number,
  least: number,
): DigitGroups | undefined {
  if (!hasDigits(text, at, end, least)) return undefined;
  const lengths: number[] = [];
  const ends: number[] = [];
  const separators: string[] = [];
  for (let start = at; lengths.length < MAX_GROUPS; ) {
    const stop = endOfRun(text, start, isDigit, MAX_GROUP_DIGITS);
    if (stop === start || isAlphanumeric(text.charCodeAt(stop))) break;
    if (lengths.length > 0) separators.push(text.slice(ends.at(-1), start));
    lengths.push(stop - start);
    ends.push(stop);
    start = endOfRun(text, stop, isSeparator, MAX_SEPARATOR_CHARACTERS);
    if (start === stop) break;
  }
  return lengths.length === 0 ? undefined : { text, lengths, ends, separators };
}

/** Whether there are enough digits ahead: most numbers stand alone and are short. */
function hasDigits(text: string, at: number, end: number, least: number): boolean {
  if (end - at >= least) return true;
  let count = 0;
  let others = 0;
  for (let next = at; next < text.length && others <= MAX_SEPARATOR_CHARACTERS; next++) {
    const code = text.charCodeAt(next);
    if (isDigit(code)) {
      others = 0;
      if (++count >= least) return true;
    } else if (isSeparator(code)) others++;
    else return false;
  }
  return false;
}
