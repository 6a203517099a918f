import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lockFor, longestDays, periodDays } from '../../../lambdas/domain/evidence/retention.ts';
import { NOW, RETENTION } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';

const DAY = 86_400_000;
const days = (from: number, to: string) => (Date.parse(to) - from) / DAY;
const midnight = Date.parse('2026-03-04T00:00:00.000Z');

describe('lockFor', () => {
  it('is the period and the slack, counted from acceptance', () => {
    expect(lockFor(RETENTION, 10, midnight, midnight)).toEqual({
      mode: 'GOVERNANCE',
      retainUntil: '2026-04-18T00:00:00.000Z',
      clamped: false,
    });
  });

  it.each([
    ['2026-03-04T00:00:00.000Z', '2026-04-18T00:00:00.000Z'],
    ['2026-03-04T00:00:00.001Z', '2026-04-19T00:00:00.000Z'],
    ['2026-03-04T23:59:59.999Z', '2026-04-19T00:00:00.000Z'],
  ])('of what was accepted at %s ends at the midnight %s', (acceptedAt, retainUntil) => {
    expect(lockFor(RETENTION, 10, Date.parse(acceptedAt), NOW).retainUntil).toBe(retainUntil);
  });

  it('takes what waited two days under a one-day lock, by giving it the shortest that the bucket takes', () => {
    const policy = { ...RETENTION, slackDays: 0, floorDays: 1 };
    const lock = lockFor(policy, 1, NOW - 2 * DAY, NOW);
    expect(lock.clamped).toBe(true);
    expect(days(NOW, lock.retainUntil)).toBeGreaterThanOrEqual(2);
    expect(days(NOW, lock.retainUntil)).toBeLessThan(3);
  });

  it.each([
    // what, period, floor, days since acceptance
    ['a promotion after 14 days under a one-day lock', 1, 1, 14],
    ['a promotion after 14 days at the legal minimum', 190, 190, 14],
    ['a redrive after a week at the legal minimum', 190, 190, 7],
    ['a repair in year seven', 2557, 190, 6.9 * 365],
  ])('lets %s be written under the bucket policy', (_what, period, floorDays, waited) => {
    const policy = { ...RETENTION, floorDays };
    const lock = lockFor(policy, period, NOW - waited * DAY, NOW);
    expect(days(NOW, lock.retainUntil)).toBeGreaterThanOrEqual(floorDays + 1);
    expect(days(NOW - waited * DAY, lock.retainUntil)).toBeGreaterThanOrEqual(period + 35);
    expect(lock.clamped).toBe(days(NOW, lock.retainUntil) < floorDays + 2);
  });

  const policies = fc.record({
    mode: fc.constantFrom('GOVERNANCE' as const, 'COMPLIANCE' as const),
    ...{ lineageDays: fc.constant(1), traceDays: fc.constant(1), recordDays: fc.constant(1) },
    floorDays: fc.integer({ min: 1, max: 30 }),
    slackDays: fc.nat(60),
  });
  const instants = fc.integer({ min: NOW - 400 * DAY, max: NOW + 400 * DAY });
  const periods = fc.integer({ min: 1, max: 3_000 });

  it('never ends before the promise, nor before the floor that the bucket policy demands, nor a day too late', () => {
    fc.assert(
      fc.property(policies, periods, instants, instants, (policy, period, acceptedAt, now) => {
        const { mode, retainUntil, clamped } = lockFor(policy, period, acceptedAt, now);
        const promised = acceptedAt + (period + policy.slackDays) * DAY;
        const floor = now + (policy.floorDays + 1) * DAY;
        expect(mode).toBe(policy.mode);
        expect(retainUntil).toMatch(/T00:00:00\.000Z$/);
        expect(Date.parse(retainUntil)).toBeGreaterThanOrEqual(Math.max(promised, floor));
        expect(Date.parse(retainUntil) - Math.max(promised, floor)).toBeLessThan(DAY);
        expect(clamped).toBe(floor > promised);
      }),
      seeded(400),
    );
  });

  it('never shrinks when something comes later or is kept longer', () => {
    fc.assert(
      fc.property(
        policies,
        periods,
        instants,
        instants,
        fc.nat(40 * DAY),
        (policy, period, acceptedAt, now, more) => {
          const until = lockFor(policy, period, acceptedAt, now).retainUntil;
          expect(lockFor(policy, period, acceptedAt + more, now).retainUntil >= until).toBe(true);
          expect(lockFor(policy, period, acceptedAt, now + more).retainUntil >= until).toBe(true);
          expect(lockFor(policy, period + 1, acceptedAt, now).retainUntil >= until).toBe(true);
        },
      ),
      seeded(300),
    );
  });
});

describe('retention classes', () => {
  const policy = {
    ...{ ...RETENTION, lineageDays: 100, traceDays: 150 },
    classes: {
      short: { lineageDays: 10, traceDays: 20 },
      long: { lineageDays: 300, traceDays: 300 },
    },
  };

  it.each([
    ['standard', 100],
    ['short', 10],
    ['long', 300],
    ['configured no more', 300],
    ['constructor', 300],
  ])('lock lineage of class %s for %i days', (name, expected) => {
    expect(periodDays(policy, 'lineage', name)).toBe(expected);
  });

  it.each(['standard', 'short', 'long', ''])(
    'never let a trace of class "%s" go before a run of any class',
    (name) => {
      expect(periodDays(policy, 'traces', name)).toBe(300);
    },
  );

  it('leave the periods of an environment without them as they are', () => {
    expect(periodDays(RETENTION, 'lineage', 'standard')).toBe(RETENTION.lineageDays);
    expect(periodDays({ ...RETENTION, traceDays: 99 }, 'traces', 'standard')).toBe(99);
  });

  it('make records outlive the longest of them', () => {
    expect([longestDays(policy), longestDays({ ...RETENTION, traceDays: 99 })]).toEqual([300, 99]);
  });
});
