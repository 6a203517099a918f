import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { readDocument, tableRows } from '../support/markdown.ts';

const NOT_SET = '–';
const rows = tableRows(readDocument('docs/configuration.md'));
const documented = rows.map(([field]) => field as string);

/** Dotted paths of all values of an environment, lists joined. */
function valuesOf(value: object, path = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const at = path + name;
    if (Array.isArray(inner)) return [[at, inner.join(', ')]];
    return typeof inner === 'object' ? valuesOf(inner, `${at}.`) : [[at, String(inner)]];
  });
}

describe('docs/configuration.md', () => {
  it.each(Object.entries(environments))('shows the values of %s', (name, config) => {
    const column = 2 + Object.keys(environments).indexOf(name);
    const shown = rows.map((row) => [row[0], row[column]]).filter(([, value]) => value !== NOT_SET);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(valuesOf(config)));
  });

  it('names every field of the type', () => {
    const source = readDocument('lib/config/environment-config.ts');
    const fields = [...source.matchAll(/readonly (\w+)\??:/g)].map(([, field]) => field as string);
    expect(fields.length).toBeGreaterThan(30);
    const names = new Set(documented.flatMap((path) => path.split('.')));
    for (const field of fields) expect(names).toContain(field);
  });

  it('names no field that the type does not have', () => {
    const source = readDocument('lib/config/environment-config.ts');
    for (const name of documented.flatMap((path) => path.split('.'))) {
      expect(source).toMatch(new RegExp(`readonly ${name}\\??:`));
    }
  });
});
