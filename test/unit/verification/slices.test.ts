import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  dueSlices,
  retry,
  type SliceState,
} from '../../../lambdas/domain/verification/slices.ts';

const NAMES = Array.from({ length: 100 }, (_, n) => `digests/dt=2026-03-04/${n}.json`);

/** Names of everything looked at by runs on these days (from 0), and where they left off. */
function run(days: readonly number[], periodDays: number) {
  let state: SliceState | undefined;
  const seen = new Set<string>();
  const slices: number[] = [];
  for (const day of days) {
    const due = dueSlices(state, day, periodDays);
    for (const name of NAMES) if (due.includes(name)) seen.add(name);
    slices.push(due.to - due.from + 1);
    state = advance(due, undefined);
  }
  return { seen, slices, through: state?.through };
}

const period = fc.integer({ min: 1, max: 60 });

describe('slices', () => {
  it('of as many days in a row as the period has are everything, each name once', () => {
    fc.assert(
      fc.property(period, fc.integer({ min: 0, max: 30_000 }), (days, first) => {
        const turns = Array.from({ length: days }, (_, n) =>
          NAMES.filter(dueSlices(undefined, first + n, days).includes),
        );
        expect(turns.flat().sort()).toEqual(NAMES.toSorted());
      }),
    );
  });

  it('of days without a run are made up for, four at a time, until all are caught up', () => {
    fc.assert(
      fc.property(
        period,
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 120, maxLength: 120 }),
        (days, pauses) => {
          let day = 20_000;
          const ran = pauses.map((pause) => {
            day += pause;
            return day;
          });
          const { seen, slices, through } = run(ran, days);
          expect(seen.size).toBe(NAMES.length);
          expect(Math.max(...slices)).toBeLessThanOrEqual(4);
          expect(day - (through as number)).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('come round again after an outage of any length, within a period and what it takes to catch up', () => {
    fc.assert(
      fc.property(period, fc.integer({ min: 1, max: 1_000 }), (days, outage) => {
        const after = Array.from({ length: days }, (_, n) => 20_000 + outage + n);
        const { seen, slices, through } = run([20_000, ...after], days);
        expect(through).toBe(after.at(-1));
        expect(seen.size).toBe(NAMES.length);
        expect(Math.max(...slices)).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('are the same again when a run is repeated on its day', () => {
    const due = dueSlices(undefined, 20_000, 30);
    const again = dueSlices(advance(due, undefined), 20_000, 30);
    expect(NAMES.filter(again.includes)).toEqual(NAMES.filter(due.includes));
  });

  it('that may not be looked at are tried on four days, and hold up no others, however long that lasts', () => {
    fc.assert(
      fc.property(period, fc.integer({ min: 1, max: 100 }), (days, lost) => {
        let state: SliceState | undefined;
        const looked: number[][] = [];
        const seen = new Set<string>();
        for (let day = 20_000; day < 20_000 + lost + days; day++) {
          const due = dueSlices(state, day, days);
          looked.push(Array.from({ length: due.to - due.from + 1 }, (_, n) => due.from + n));
          for (const name of NAMES) if (due.includes(name)) seen.add(name);
          state = retry(due);
          expect(day - state.through).toBeLessThanOrEqual(Math.min(4, days));
        }
        const widths = looked.map(({ length }) => length);
        expect(Math.max(...widths)).toBeLessThanOrEqual(4);
        // every day is looked at from its own day on, four times where the period has as many
        const tries = looked.flat().filter((day) => day === 20_000 + lost - 1).length;
        expect(tries).toBe(Math.min(4, days));
        expect(seen.size).toBe(NAMES.length);
      }),
    );
  });

  it('that a run did not finish are due behind the folder it finished last, before any other', () => {
    const due = dueSlices({ through: 19_997 }, 20_000, 30);
    const state = advance(due, 'dt=2026-03-04/');
    const next = dueSlices(state, 20_001, 30);
    expect(next).toMatchObject({ from: 19_998, to: 20_000, after: 'dt=2026-03-04/' });
    expect(NAMES.filter(next.includes)).toEqual(NAMES.filter(due.includes));
    expect(advance(next, undefined)).toEqual({ through: 20_000 });
  });
});
