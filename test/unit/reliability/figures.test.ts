import { describe, expect, it } from 'vitest';
import { type Figures, withFigures } from '../../../reliability/figures.ts';
import { SCENARIOS } from '../../../reliability/scenarios.ts';
import { readDocument } from '../../support/markdown.ts';

const figures: Figures = {
  at: '2026-11-30T12:00:00.000Z',
  machine: { cores: 2, node: 'v20.0.0' },
  emulator: { name: 'localstack', version: '1' },
  size: { events: 10, senders: 2, faultSeconds: 1 },
  ...{ scenario: 'poison', accepted: 10, refused: { 503: 2 }, stored: 10, quarantined: 1 },
  ...{ duplicates: 0, copies: 0, faults: 3, drainSeconds: 1.4, totalSeconds: 20 },
  problems: [],
};
const EMPTY = 'a\n<!-- begin localstack -->\nstale\n<!-- end localstack -->\nb';

describe('the figures in the documentation', () => {
  it('begin with what was run, and nothing else changes', () => {
    const written = withFigures(EMPTY, figures);
    expect(written).toMatch(/^a\n<!-- begin localstack -->\n\n\| scenario +\|/);
    expect(written).toMatch(/\n\n<!-- end localstack -->\nb$/);
    expect(written).not.toContain('stale');
    expect(written).toMatch(/\| poison +\| 10 +\| 2 × 503 +\| 10 /);
    expect(written).toContain('2026-11-30 12:00, localstack 1, 2 cores, Node v20.0.0');
    expect(withFigures(written, figures)).toBe(written);
  });

  it('replace their own row alone, in its place', () => {
    const other = { ...figures, scenario: 'duplicates', stored: 7 };
    const both = withFigures(withFigures(EMPTY, figures), other);
    const failed = { ...figures, stored: 9, problems: ['1 accepted and not in the vault: r'] };
    const rows = withFigures(both, failed)
      .split('\n')
      .filter((line) => line.startsWith('| poison') || line.startsWith('| duplicates'));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^\| poison .* 9 .* no: 1 accepted and not in the vault: r /);
    expect(rows[1]).toMatch(/^\| duplicates .* 7 /);
  });

  const document = readDocument('docs/reliability.md');

  it.each(['ministack', 'localstack'] as const)('have a place for %s', (name) => {
    const emulator = { name, version: '1' };
    expect(withFigures(document, { ...figures, emulator })).toContain(`${name} 1, 2 cores`);
  });

  it('are explained for every scenario', () => {
    for (const name of Object.keys(SCENARIOS)) expect(document).toContain(`| \`${name}\` `);
  });
});
