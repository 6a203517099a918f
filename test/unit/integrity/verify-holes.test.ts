import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Holes } from '../../../lambdas/domain/integrity/verify-holes.ts';
import { secondVersions } from '../../../lambdas/domain/integrity/verify-second-version.ts';
import { FEW_RUNS, growthOver } from '../../support/growth.ts';

const END = 100;
const claim = fc.tuple(fc.nat(END), fc.nat(END)).map(([from, length]) => [from, from + length]);

describe('holes', () => {
  it('are what is claimed since a proven digest, and end where the next begins', () => {
    const step = fc.record({ claims: fc.array(claim, { maxLength: 4 }), gap: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(claim), (steps, tail) => {
        const holes = new Holes();
        const expected = new Set<number>();
        const claimed = (claims: typeof tail, from: number, to: number) => {
          for (const [begin, end] of claims as Array<[number, number]>) {
            holes.add(begin, end);
            for (let at = Math.max(begin, from); at < Math.min(end, to); at++) expected.add(at);
          }
        };
        let provenTo = Number.NEGATIVE_INFINITY;
        let from = 0;
        for (const { claims, gap } of steps) {
          from += gap;
          claimed(claims, provenTo, from);
          holes.proven({ from, to: from + 3 }, false);
          from += 3;
          provenTo = from;
        }
        claimed(tail, provenTo, Number.POSITIVE_INFINITY);
        holes.end();
        for (let at = 0; at <= 2 * END; at++) expect(holes.has(at)).toBe(expected.has(at));
      }),
    );
  });

  it('are none before the first digest of a chain', () => {
    for (const isFirst of [true, false]) {
      const holes = new Holes();
      holes.add(0, 5);
      holes.proven({ from: 10, to: 20 }, isFirst);
      holes.end();
      expect(holes.has(3)).toBe(!isFirst);
    }
  });

  it('cost the same for each object, however many there are', () => {
    const work = (count: number) => {
      const holes = new Holes();
      for (let at = 0; at < count; at++) {
        holes.add(2 * at, 2 * at + 1);
        holes.proven({ from: 2 * at + 1, to: 2 * at + 2 }, false);
      }
      return () => {
        for (let at = 0; at < 100 * count; at++) holes.has(at % (2 * count));
      };
    };
    expect(Math.max(...growthOver(100, [8], work, FEW_RUNS))).toBeLessThan(32);
  });
});

it('tells the versions of a key apart in one go', () => {
  const work = (count: number) => {
    const versions = Array.from({ length: count }, (_, at) => ({ key: 'k', versionId: `v${at}` }));
    const last = `v${count - 1}`;
    return () => secondVersions(versions, ({ versionId }) => versionId === last);
  };
  expect(Math.max(...growthOver(1_000, [8], work, FEW_RUNS))).toBeLessThan(32);
});
