import { BOOLEAN, COMMENT, CUT, DATA, NUMBER, SECRET, STRING, TEMPLATE } from './tokens.ts';

/**
 * Why a text was changed, in the order of the alphabet.
 * @param kinds how many tokens of each kind there are
 */
export function rulesOf(
  kinds: Uint32Array,
  { isAmbiguous, hasDataName }: { isAmbiguous: boolean; hasDataName: boolean },
): string[] {
  const rules: string[] = [];
  if (isAmbiguous) rules.push('ambiguous');
  if (kinds[SECRET]) rules.push('bare_value');
  if (kinds[BOOLEAN]) rules.push('boolean');
  if (kinds[COMMENT]) rules.push('comment');
  if (kinds[CUT]) rules.push('cut');
  if (kinds[DATA]) rules.push('data');
  if (hasDataName) rules.push('identifier');
  if (kinds[STRING] || kinds[NUMBER]) rules.push('literal');
  if (kinds[TEMPLATE]) rules.push('template');
  return rules;
}
