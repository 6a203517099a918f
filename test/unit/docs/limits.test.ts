import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { localstack } from '../../../localstack/emulators/localstack.ts';
import { ministack } from '../../../localstack/emulators/ministack.ts';
import { ACCOUNT_CHECKS } from '../../account/checks.ts';
import { readDocument, tableRows } from '../../support/markdown.ts';

const markdown = readDocument('docs/limits.md');
/** A pipe within a cell is escaped. */
const rows = tableRows(markdown.replaceAll('\\|', '¦'));
const COLUMNS = 6;

describe('docs/limits.md', () => {
  it('has a row for each account check, and names no other', () => {
    const named = rows.flatMap(([, , , , check = '']) => /^[a-z-]{2,}/.exec(check) ?? []);
    expect([...new Set(named)].sort()).toEqual(ACCOUNT_CHECKS.map(({ name }) => name).sort());
  });

  it('speaks of the emulators that are pinned', () => {
    for (const { version } of [ministack, localstack]) expect(markdown).toContain(` ${version} `);
  });

  it.each(rows.map((cells) => [cells[0], cells] as const))('%s', (_, cells) => {
    expect(cells).toHaveLength(COLUMNS);
    const [, onMiniStack, onLocalStack, standIn = '', check, byHand] = cells;
    for (const cell of [onMiniStack, onLocalStack]) expect(cell).toMatch(/\w/);
    // Where no test stands in and no check asks, somebody has to be told what to do.
    expect(check !== '–' || /\w/.test(byHand ?? '')).toBe(true);
    const tests = standIn.match(/test\/[\w./-]+/g) ?? [];
    for (const path of tests) expect(existsSync(path), path).toBe(true);
    expect(tests.length > 0 || standIn.startsWith('none')).toBe(true);
  });
});

it('checks say what they leave and cost, and have names of their own', () => {
  const names = ACCOUNT_CHECKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { costs, does, leaves } of ACCOUNT_CHECKS) {
    for (const text of [costs, does, leaves]) expect(text).toMatch(/\w/);
    expect(costs).toMatch(/\d/);
  }
});
