import { expect, it } from 'vitest';
import type { Recount } from '../../../lambdas/domain/integrity/digest.ts';
import { pendingRecounts } from '../../../lambdas/domain/integrity/pending-recounts.ts';
import { FROM, HOUR, MINUTE, text } from './stream.ts';

const NOW = FROM + 20 * HOUR;
const open = (n: number, overrides: Partial<Recount> = {}): Recount => ({
  ...{ plane: 'lineage', shardId: 'shardId-000000000000', status: 'behind' },
  ...{
    from: text(FROM + n * MINUTE),
    to: text(FROM + (n + 1) * MINUTE),
    countedAt: text(NOW - HOUR / 2),
  },
  ...overrides,
});
const missing = (n: number, countedAt = NOW) =>
  open(n, { status: 'missing', countedAt: text(countedAt) });

it('has nothing to do before the first digest, and where all is settled', () => {
  const nothing = { due: [], carried: [] };
  expect(pendingRecounts(undefined, NOW)).toEqual(nothing);
  const settled = [open(1, { status: 'equal' }), open(2, { status: 'not_recounted' })];
  expect(pendingRecounts({ recounts: settled }, NOW)).toEqual(nothing);
});

it('counts what is behind each time, and what is missing an hour after the last look', () => {
  const [behind, fresh, old] = [open(1), missing(2, NOW - HOUR + 1), missing(3, NOW - HOUR)];
  expect(pendingRecounts({ recounts: [fresh, behind, old] }, NOW)).toEqual({
    due: [old, behind],
    carried: [fresh],
  });
});

it('repeats what another digest of the same run has counted', () => {
  const counted = open(1, { countedAt: text(NOW) });
  expect(pendingRecounts({ recounts: [counted] }, NOW)).toEqual({ due: [], carried: [counted] });
});

it('takes so many at a time, and comes round to all of them', () => {
  let recounts = Array.from({ length: 200 }, (_, n) => open(n));
  const seen = new Set<string>();
  for (let run = 1; run <= 7; run++) {
    const { due, carried } = pendingRecounts({ recounts }, NOW);
    expect(due.length).toBeLessThanOrEqual(32);
    expect(due.length + carried.length).toBe(200);
    if (run === 1) expect(due).toEqual(recounts.slice(0, 32));
    for (const { from } of due) seen.add(from);
    const countedAt = text(NOW + run * MINUTE);
    recounts = [...due.map((recount) => ({ ...recount, countedAt })), ...carried];
  }
  expect(seen.size).toBe(200);
});

it('forgets the oldest of too many losses, and never what is behind', () => {
  const losses = Array.from({ length: 300 }, (_, n) => missing(n));
  const behind = Array.from({ length: 300 }, (_, n) => open(n));
  const { due, carried } = pendingRecounts({ recounts: [...losses, ...behind] }, NOW);
  const kept = carried.filter(({ status }) => status === 'missing');
  expect(kept).toEqual(losses.slice(100));
  expect(due.length + carried.length).toBe(500);
});
