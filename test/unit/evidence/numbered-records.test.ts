import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type NumberedRecord,
  seriesOf,
} from '../../../lambdas/domain/evidence/numbered-records.ts';

const DAY_MILLIS = 86_400_000;
const NOW = Date.parse('2036-01-01T00:00:00Z');
const KEPT = { recordDays: 400 };

const record = (number: number, storedAt: number): NumberedRecord => ({
  number,
  version: {
    ...{ bucket: 'vault', key: String(number), versionId: 'v', bytes: 1, deleteMarker: false },
    lastModified: new Date(storedAt).toISOString(),
  },
});
const numbersOf = (records: readonly NumberedRecord[]) => records.map(({ number }) => number);

describe('a series of numbered records', () => {
  it('is what was written one after the other, whatever its first number and the order it is listed in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(100_000), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(),
        (gaps, first, turn) => {
          let at = NOW - 10 * DAY_MILLIS;
          const written = gaps.map((gap, i) => {
            at += gap;
            return record(first + i, at);
          });
          const cut = turn % written.length;
          const listed = [...written.slice(cut), ...written.slice(0, cut)];
          expect(seriesOf(listed, KEPT, NOW)).toEqual({ inTurn: written, outOfTurn: [] });
        },
      ),
    );
  });

  it('goes on after a record that was put far ahead of it', () => {
    const [one, ahead, two] = [record(1, NOW - 3_000), record(99, NOW - 2_000), record(2, NOW)];
    const { inTurn, outOfTurn } = seriesOf([one, two, ahead], KEPT, NOW);
    expect([numbersOf(inTurn), numbersOf(outOfTurn)]).toEqual([[1, 2], [99]]);
  });

  it('does not take a low number that was stored late', () => {
    const [four, five, three] = [record(4, NOW - 3_000), record(5, NOW - 2_000), record(3, NOW)];
    const { inTurn, outOfTurn } = seriesOf([three, four, five], KEPT, NOW);
    expect([numbersOf(inTurn), numbersOf(outOfTurn)]).toEqual([[4, 5], [3]]);
  });

  it('may lack a record whose lock can be over, and none before', () => {
    const since = NOW - KEPT.recordDays * DAY_MILLIS;
    const one = record(1, since - DAY_MILLIS);
    expect(numbersOf(seriesOf([one, record(3, since - 1)], KEPT, NOW).inTurn)).toEqual([1, 3]);
    expect(numbersOf(seriesOf([one, record(3, since)], KEPT, NOW).inTurn)).toEqual([1]);
  });
});
