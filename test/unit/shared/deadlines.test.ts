import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Metric } from '../../../lambdas/shared/metric-names.ts';
import { NOW, runEventText } from '../../support/builders.ts';
import {
  BATCH,
  exported,
  frontDoor,
  GOOD_SPAN,
  LINEAGE,
  TRACES,
} from '../../support/front-door.ts';

const GOOD: ReadonlyArray<[string, string]> = [
  [LINEAGE, runEventText()],
  [BATCH, `[${runEventText()}]`],
  [TRACES, exported(GOOD_SPAN)],
];

const NEVER = new Promise<never>(() => undefined);

/** The answer, and after how many milliseconds it came. */
async function timed<T>(answer: Promise<T>): Promise<T & { afterMillis: number }> {
  let afterMillis: number | undefined;
  void answer.then(() => {
    afterMillis = Date.now() - NOW;
  });
  while (afterMillis === undefined) {
    if (Date.now() - NOW > 10_000) throw new Error('no answer in ten seconds');
    await vi.advanceTimersByTimeAsync(1);
  }
  return { ...(await answer), afterMillis };
}

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('a refusal whose count does not come', () => {
  it.each([
    ['a bad event', LINEAGE, '{', 400, 0],
    ['a bad batch', BATCH, '[{', 400, 0],
    ['a batch with a bad item', BATCH, `[7,${runEventText()}]`, 200, 1],
    ['a bad export', TRACES, '{', 400, 0],
    ['an export with a bad span', TRACES, exported({ traceId: 'x' }, GOOD_SPAN), 200, 1],
  ])('is answered all the same, soon: %s', async (_what, route, body, status, stored) => {
    const door = frontDoor({}, Date.now);
    door.usage.count = () => NEVER;
    const answer = await timed(door.post(route, body));
    expect([answer.status, answer.afterMillis]).toEqual([status, 300]);
    expect(door.stream.records).toHaveLength(stored);
    expect(door.counted[Metric.uncountedRefusals]).toBe(1);
    expect(JSON.stringify(door.lines)).toContain('count_too_late');
  });

  it('waits no longer for many counts than for one', async () => {
    const door = frontDoor({}, Date.now);
    door.usage.count = () => NEVER;
    const { status, afterMillis } = await timed(door.post(BATCH, `[7,{},${runEventText()}]`));
    expect([status, afterMillis]).toEqual([200, 300]);
    expect(door.counted[Metric.uncountedRefusals]).toBe(2);
  });

  it.each([
    ['a refused event', LINEAGE, '{', 400],
    ['a refused export', TRACES, '{', 400],
  ])(
    'leaves the answer what it is when little time is left: %s',
    async (_what, route, body, status) => {
      const door = frontDoor({}, Date.now);
      const { findByKeyId } = door.registry;
      door.registry.findByKeyId = async (id) => {
        await new Promise((resolve) => setTimeout(resolve, 3_900));
        return findByKeyId.call(door.registry, id);
      };
      door.usage.count = () => NEVER;
      const answer = await timed(door.post(route, body));
      expect([answer.status, answer.afterMillis]).toEqual([status, 3_950]);
    },
  );

  it('leaves a stored batch answered with success when the stream took nearly all the time', async () => {
    const door = frontDoor({}, Date.now);
    const { publish } = door.stream;
    door.stream.publish = async (records) => {
      await new Promise((resolve) => setTimeout(resolve, 3_990));
      return publish.call(door.stream, records);
    };
    door.usage.count = () => NEVER;
    const { status, afterMillis } = await timed(door.post(BATCH, `[7,${runEventText()}]`));
    expect(status).toBe(200);
    expect(afterMillis).toBeLessThan(4_000);
  });
});

describe.each(GOOD)('work on %s that does not end', (route, body) => {
  it.each([
    [
      'the look-up of the key',
      (door: Door) => {
        door.registry.findByKeyId = () => NEVER;
      },
    ],
    [
      'the key of the epoch',
      (door: Door) => {
        door.epochKeys.at = () => NEVER;
      },
    ],
    [
      'the stream',
      (door: Door) => {
        door.stream.publish = () => NEVER;
      },
    ],
  ])('is answered with 503 after 4 s: %s', async (_what, hang) => {
    const door = frontDoor({}, Date.now);
    hang(door);
    const { status, afterMillis } = await timed(door.post(route, body));
    expect([status, afterMillis]).toEqual([503, 4_000]);
    expect(JSON.stringify(door.lines)).toContain('answer_too_late');
    expect(await door.rules()).toEqual({});
  });

  it('is not stored once it is late, however it came to be', async () => {
    for (const cameLate of [
      () => void vi.setSystemTime(NOW + 4_000),
      () => new Promise((resolve) => setTimeout(resolve, 4_001)),
    ]) {
      vi.setSystemTime(NOW);
      const door = frontDoor({}, Date.now);
      const { findByKeyId } = door.registry;
      door.registry.findByKeyId = async (id) => {
        await cameLate();
        return findByKeyId.call(door.registry, id);
      };
      expect((await timed(door.post(route, body))).status).toBe(503);
      await vi.advanceTimersByTimeAsync(100);
      expect(door.stream.records).toEqual([]);
      expect(await door.rules()).toEqual({});
    }
  });

  it('is answered with 503 after 1 s when it is the lease of the limit, and stores nothing', async () => {
    const door = frontDoor({ eventsPerSecond: 10 }, Date.now);
    door.usage.lease = () => NEVER;
    const { status, afterMillis } = await timed(door.post(route, body));
    expect([status, afterMillis]).toEqual([503, 1_000]);
    expect(JSON.stringify(door.lines)).toContain('rate_limit_unavailable');
    expect(door.stream.records).toEqual([]);
  });

  it('keeps no producer without a limit from being served when it is a lease', async () => {
    const door = frontDoor({}, Date.now);
    door.usage.lease = () => NEVER;
    const { status, afterMillis } = await timed(door.post(route, body));
    expect(status).toBeLessThan(300);
    expect(afterMillis).toBe(0);
  });

  it('leaves no timer behind once it has ended', async () => {
    await frontDoor({ eventsPerSecond: 10 }, Date.now).post(route, body);
    expect(vi.getTimerCount()).toBe(0);
  });
});

type Door = ReturnType<typeof frontDoor>;
