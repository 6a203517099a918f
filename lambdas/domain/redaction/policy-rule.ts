import { plainName } from './names.ts';

/** A rule's place, taken apart. */
export interface Rule {
  readonly place: 'facet' | 'attribute';
  /** Names from the facet down, or the parts of an attribute's name. */
  readonly names: readonly string[];
  /** Of an attribute: all names that begin with this one and a dot. */
  readonly isPrefix: boolean;
}

const RULE = /^(facet|attribute):([!-~]+)$/;

/** Takes the text of a rule apart. @throws TypeError for a text that `readRules` refuses */
export function parseRule(text: string): Rule {
  const rule = tryParseRule(text);
  if (rule === undefined) throw new TypeError('not a rule');
  return rule;
}

/** The same; undefined for a text that is no rule. */
export function tryParseRule(text: string): Rule | undefined {
  const [, place, path = ''] = RULE.exec(text) ?? [];
  if (place !== 'facet' && place !== 'attribute') return undefined;
  const isPrefix = place === 'attribute' && path.endsWith('.*');
  const names = (isPrefix ? path.slice(0, -2) : path).split('.');
  // Compared without punctuation, a name of nothing else would be every such name.
  const isName = (name: string) =>
    name === '*' ? place === 'facet' : !name.includes('*') && plainName(name) !== '';
  return names.every(isName) ? { place, names, isPrefix } : undefined;
}
