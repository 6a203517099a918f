import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamRecord } from '../../../../localstack/event-source/model.ts';
import { type Scenario, simulate } from './simulation.ts';
import { record, SETTINGS } from './support.ts';

const step = fc.record({
  read: fc.integer({ min: 0, max: 25 }),
  throttled: fc.boolean(),
  restart: fc.boolean(),
});

/** A shard of up to 60 records over few keys, some of them bad, under any settings that AWS allows. */
const scenario = fc
  .record({
    keys: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 }),
    poison: fc.array(fc.nat(59), { maxLength: 4 }),
    mode: fc.constantFrom('throw' as const, 'report' as const),
    settings: fc.record({
      batchSize: fc.integer({ min: 1, max: 20 }),
      windowMillis: fc.constantFrom(0, 1_000, 20_000),
      maximumRetryAttempts: fc.integer({ min: 0, max: 3 }),
      bisectOnError: fc.boolean(),
      parallelizationFactor: fc.integer({ min: 1, max: 4 }),
    }),
    // The last step makes progress, so that every scenario ends.
    steps: fc
      .array(step, { maxLength: 12 })
      .map((steps) => [...steps.map((one) => ({ ...one, restart: false })), ...GOING_ON]),
  })
  .map(
    ({ keys, poison, mode, settings, steps }): Scenario => ({
      records: keys.map((key, n) => record(n, `key-${key}`)),
      poison: new Set(poison.map((n) => record(n).sequenceNumber)),
      mode,
      settings: { ...SETTINGS, ...settings },
      steps,
    }),
  );
/** An odd number of steps, so that every lane has its turn with each of them. */
const GOING_ON = Array.from({ length: 13 }, () => ({ read: 10, throttled: false, restart: false }));

const sorted = (records: readonly StreamRecord[]) =>
  records.map((one) => one.sequenceNumber).sort();

describe('one shard, whatever the function does', () => {
  it('settles every record exactly once: processed or discarded', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const { done, discarded } = simulate(given);
        expect(sorted([...done, ...discarded])).toEqual(sorted(given.records));
      }),
      { numRuns: 400 },
    );
  });

  it('keeps the records of a key in order', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const { done } = simulate(given);
        for (const key of new Set(done.map((one) => one.partitionKey))) {
          const ofKey = done.filter((one) => one.partitionKey === key);
          expect(ofKey.map((one) => one.sequenceNumber)).toEqual(sorted(ofKey));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('with bisect discards the poison and none of its neighbours', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const settings = { ...given.settings, bisectOnError: true };
        const { discarded } = simulate({ ...given, settings });
        const poison = given.records.filter((one) => given.poison.has(one.sequenceNumber));
        expect(sorted(discarded)).toEqual(sorted(poison));
      }),
      { numRuns: 400 },
    );
  });

  it('loses nothing in a restart at any step, and with one lane repeats nothing', () => {
    fc.assert(
      fc.property(scenario, fc.array(fc.nat(40), { maxLength: 4 }), (given, restarts) => {
        const steps = Array.from({ length: 41 }, (_, n) => ({
          ...(given.steps[n % given.steps.length] ?? { read: 10, throttled: false }),
          restart: restarts.includes(n),
        }));
        // Afterwards it is left alone, for longer than the largest scenario takes.
        const calm = Array.from({ length: 4_000 }, () => ({ ...GOING_ON[0], restart: false }));
        const plan = [...steps, ...calm] as Scenario['steps'];
        const { done, discarded } = simulate({ ...given, steps: plan });
        const settled = sorted([...done, ...discarded]);
        expect([...new Set(settled)]).toEqual(sorted(given.records));
        if (given.settings.parallelizationFactor === 1)
          expect(settled).toEqual(sorted(given.records));
      }),
      { numRuns: 300 },
    );
  });
});
