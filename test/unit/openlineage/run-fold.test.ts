import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEventEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import { foldRun, latest } from '../../../lambdas/domain/openlineage/run-fold.ts';
import { runEventEntry } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';

const at = (second: number) => `2026-03-04T05:06:${String(second).padStart(2, '0')}.000000000Z`;

/** An event at a second, with bytes of its own. */
const event = (
  eventType: string | undefined,
  second: number,
  overrides: Partial<RunEventEntry> = {},
) => {
  const { eventType: _type, ...entry } = runEventEntry({
    receiptId: `r-${eventType}-${second}`,
    receivedHmac: `${eventType}-${second}`,
    eventTimeUtc: at(second),
    ...overrides,
  });
  return eventType === undefined ? entry : { ...entry, eventType };
};

const anyEvent: fc.Arbitrary<RunEventEntry> = fc
  .record({
    type: fc.constantFrom(
      'START',
      'RUNNING',
      'COMPLETE',
      'FAIL',
      'ABORT',
      'OTHER',
      'start',
      undefined,
    ),
    second: fc.option(fc.nat(4), { nil: undefined }),
    bytes: fc.nat(5),
    receipt: fc.nat(9),
    accepted: fc.nat(3),
    producer: fc.nat(1),
    job: fc.nat(1),
  })
  .map(({ type, second, bytes, receipt, accepted, producer, job }) => {
    // What is stored of a delivery is a function of its receipt: one receipt never says two things.
    const base = event(type, second ?? 0, {
      receiptId: `${receipt}-${type}-${second}-${bytes}-${accepted}-${producer}-${job}`,
      receivedHmac: `${type}-${second}-${bytes}-${job}`,
      acceptedAt: `2026-03-04T06:00:0${accepted}.000Z`,
      submitter: { producerId: `p${producer}`, group: 'g' },
      job: { namespace: 'n', name: `j${job}` },
    });
    if (second !== undefined) return base;
    const { eventTimeUtc: _none, ...timeless } = base;
    return timeless;
  });

describe('foldRun', () => {
  it('gives the same run for every order of its events', () => {
    const shuffled = fc
      .array(anyEvent, { minLength: 1, maxLength: 8 })
      .chain((events) =>
        fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
      );
    fc.assert(
      fc.property(shuffled, ([events, other]) => {
        expect(foldRun(other)).toEqual(foldRun(events));
      }),
      seeded(400),
    );
  });

  it('gives the same run however often rows are read', () => {
    const repeated = fc
      .array(anyEvent, { minLength: 1, maxLength: 6 })
      .chain((events) => fc.tuple(fc.constant(events), fc.subarray(events)));
    fc.assert(
      fc.property(repeated, ([events, again]) => {
        expect(foldRun([...again, ...events, ...again])).toEqual(foldRun(events));
      }),
      seeded(300),
    );
  });

  it('gives the same run when what one part of the events said is folded in with the rest', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { minLength: 1, maxLength: 5 }),
        fc.array(anyEvent, { maxLength: 5 }),
        (a, b) => {
          const partial = foldRun(a).events.map(({ entry }) => entry);
          const { events: _events, ...whole } = foldRun([...a, ...b]);
          const { events: _others, ...again } = foldRun([...partial, ...b]);
          expect(again).toEqual(whole);
        },
      ),
      seeded(300),
    );
  });

  it.each([
    ['RUNNING', ['START']],
    ['RUNNING', ['RUNNING']],
    ['OTHER', ['OTHER']],
    ['OTHER', [undefined]],
    ['OTHER', ['complete']],
    ['COMPLETE', ['START', 'COMPLETE']],
    ['COMPLETE', ['COMPLETE', 'START']],
    ['COMPLETE', ['COMPLETE', 'RUNNING', 'OTHER']],
    ['FAIL', ['START', 'FAIL', 'COMPLETE']],
    ['FAIL', ['ABORT', 'FAIL']],
    ['ABORT', ['COMPLETE', 'ABORT']],
  ])('is %s after %j', (state, types) => {
    expect(foldRun(types.map((type, second) => event(type, second))).state).toBe(state);
  });

  it('starts with the first START and ends with the last event of the terminal that counts', () => {
    const run = foldRun([
      event('START', 3),
      event('START', 1),
      event('FAIL', 5),
      event('FAIL', 6),
      event('COMPLETE', 9),
    ]);
    expect(run).toMatchObject({
      startedAt: at(1),
      endedAt: at(6),
      terminals: ['FAIL', 'COMPLETE'],
    });
  });

  it('does not make up a start', () => {
    expect(foldRun([event('COMPLETE', 5)])).not.toHaveProperty('startedAt');
  });

  it('takes deliveries of the same bytes from one producer for one event', () => {
    const run = foldRun([
      event('START', 1, { receiptId: 'second', acceptedAt: '2026-03-04T06:00:01.000Z' }),
      event('START', 1, { receiptId: 'first', acceptedAt: '2026-03-04T06:00:00.000Z' }),
    ]);
    expect(run.events).toMatchObject([
      { entry: { receiptId: 'first' }, receiptIds: ['first', 'second'] },
    ]);
  });

  it('takes the same bytes from another producer for another event', () => {
    const other = { submitter: { producerId: 'other', group: 'group-1' }, receiptId: 'x' };
    expect(foldRun([event('START', 1), event('START', 1, other)]).events).toHaveLength(2);
  });

  it('counts job names as pairs, whatever characters they hold', () => {
    const run = foldRun([
      event('START', 1, { job: { namespace: 'a', name: 'b"c' } }),
      event('RUNNING', 2, { job: { namespace: 'a"b', name: 'c' } }),
    ]);
    expect(run).toMatchObject({ jobNames: 2, job: { namespace: 'a"b' } });
  });
});

describe('latest', () => {
  it('answers what the last event that says anything says', () => {
    const run = foldRun([
      event('START', 1, { tags: { a: '1' } }),
      event('RUNNING', 2, { tags: { a: '2' } }),
      event('COMPLETE', 3),
    ]);
    expect(latest(run, ({ tags }) => tags.a)).toBe('2');
  });
});
