import fc from 'fast-check';
import { expect, it } from 'vitest';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import { TRACE_A } from '../traces/exports.ts';
import { eventOf, heldStore, spanOf } from './store.ts';

const RUNS = [1, 2].map((n) => `0190a1b2-c3d4-7e5f-8a9b-00000000000${n}`) as [string, string];
type Store = ReturnType<typeof heldStore>;

/** Everything that can happen to a hold or to what it is on; `n` tells receipts apart. */
const OPERATIONS: Readonly<Record<string, (store: Store, n: number) => Promise<unknown>>> = {
  'set 1': (store) => store.set(RUNS[0]),
  'set 1 again, for another case': (store) => store.set(RUNS[0], 'case-2'),
  'release 1': (store) => store.release(RUNS[0]),
  'set 2': (store) => store.set(RUNS[1]),
  'release 2': (store) => store.release(RUNS[1]),
  'event of 1': (store, n) => store.archive(eventOf(n, RUNS[0])),
  'event of both': (store, n) => store.archive(eventOf(n, RUNS[0]), eventOf(n + 100, RUNS[1])),
  'event of 2 that names the trace': (store, n) => store.archive(eventOf(n, RUNS[1], TRACE_A)),
  'span of 1': (store, n) => store.archiveTraces(spanOf(n, [RUNS[0]])),
  'span of no run': (store, n) => store.archiveTraces(spanOf(n, [])),
};

/** The only call that answers no promise. */
const STREAM = 'inspector.list';

const operation = fc.constantFrom(...Object.keys(OPERATIONS));
const phases = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

function hasFailures(answer: unknown): boolean {
  const { batchItemFailures = [] } = answer as { batchItemFailures?: readonly unknown[] };
  return batchItemFailures.length > 0;
}

/** Ports each of whose calls waits for its turn. */
function takingTurns(scheduler: fc.Scheduler) {
  const isOn = { now: true };
  const between = <D extends object>(ports: D): D =>
    Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [name, inTurn(name, port, scheduler, isOn)]),
    ) as D;
  return { between, isOn };
}

function inTurn(
  name: string,
  port: object,
  scheduler: fc.Scheduler,
  isOn: { now: boolean },
): object {
  return new Proxy(port, {
    get(target, member) {
      const value = Reflect.get(target, member);
      if (typeof value !== 'function' || `${name}.${String(member)}` === STREAM) {
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (...args: unknown[]) => {
        if (isOn.now) await scheduler.schedule(Promise.resolve(), `${name}.${String(member)}`);
        return value.apply(target, args);
      };
    },
  });
}

it('holds a version whenever, and after a look at all holds only when, an active hold names a run in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), phases, async (scheduler, rounds) => {
      const { between, isOn } = takingTurns(scheduler);
      const store = heldStore(between);
      isOn.now = false;
      await store.archive(eventOf(90, RUNS[0]), eventOf(91, RUNS[1]));
      isOn.now = true;
      let n = 0;
      for (const round of rounds) {
        const work = Promise.all(round.map((name) => OPERATIONS[name]?.(store, ++n)));
        const answers = await scheduler.waitFor(work);
        const again = answers.filter(hasFailures);
        expect(again).toEqual([]);
        const free = store.bits().filter(([version, bit]) => store.mustBeHeld(version) && !bit);
        expect(free.map(([version]) => versionName(version))).toEqual([]);
      }
      isOn.now = false;
      await store.reconcile();
      const wrong = store.bits().filter(([version, bit]) => store.mustBeHeld(version) !== bit);
      expect(wrong.map(([version]) => versionName(version))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
