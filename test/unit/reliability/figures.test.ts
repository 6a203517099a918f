import { describe, expect, it } from 'vitest';
import { type Figures, withFigures } from '../../../reliability/figures.ts';
import { SCENARIOS } from '../../../reliability/scenarios.ts';
import { readDocument } from '../../support/markdown.ts';

const figures: Figures = {
  at: '2026-11-30T12:00:00.000Z',
  machine: { cores: 2, node: 'v20.0.0' },
  emulator: { name: 'localstack', version: '1' },
  size: { events: 10, senders: 2, faultSeconds: 1 },
  outcomes: [
    {
      ...{ scenario: 'poison', accepted: 10, refused: { 503: 2 }, stored: 9, quarantined: 1 },
      ...{ duplicates: 0, copies: 0, faults: 3, drainSeconds: 1.4, totalSeconds: 20 },
      problems: ['1 accepted and not in the vault: r'],
    },
  ],
};

describe('the figures in the documentation', () => {
  const document = readDocument('docs/reliability.md');

  it('replaces those of its emulator and no others, with what was lost', () => {
    const before = 'a\n<!-- begin localstack -->\nstale\n<!-- end localstack -->\nb';
    const after = withFigures(before, figures);
    expect(after).toMatch(/^a\n<!-- begin localstack -->\nlocalstack 1, 2026-11-30 12:00 UTC/);
    expect(after).toMatch(/\n<!-- end localstack -->\nb$/);
    expect(after).not.toContain('stale');
    expect(after).toMatch(/\| poison +\| 10 +\| 2 × 503 +\| 9 /);
    expect(after).toContain('\n- poison: 1 accepted and not in the vault: r\n');
    expect(withFigures(after, figures)).toBe(after);
  });

  it.each(['ministack', 'localstack'] as const)('has a place for %s', (name) => {
    const emulator = { name, version: '1' };
    expect(withFigures(document, { ...figures, emulator })).toContain(`${name} 1, 2026-11-30`);
  });

  it('tells of every scenario', () => {
    for (const name of Object.keys(SCENARIOS)) expect(document).toContain(`| \`${name}\` `);
  });
});
