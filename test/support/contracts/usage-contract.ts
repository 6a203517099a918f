import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RejectionLedger } from '../../../lambdas/domain/audit/ports.ts';
import { MAX_SAMPLES, type Rejection } from '../../../lambdas/domain/audit/rejections.ts';
import type { RateLeases } from '../../../lambdas/domain/producers/ports.ts';

/** What every store of rate windows and refusal counters does, the fake as well as DynamoDB. Names are fresh. */
export function describeUsageContract(name: string, create: () => RateLeases & RejectionLedger) {
  describe(`usage contract: ${name}`, () => {
    const usage = create();
    const now = Date.now();
    const lease = (producerId: string, tokens: number, windowStartMillis = now) =>
      usage.lease({ producerId, windowStartMillis, tokens, capacity: 10 });
    const hour = new Date(now).toISOString().slice(0, 13);
    const rejection = (overrides: Partial<Rejection> = {}): Rejection => ({
      ...{ hour, producerId: randomUUID(), rule: 'required_string', refused: 1 },
      sample: {
        ...{ at: new Date(now).toISOString(), requestId: randomUUID() },
        ...{ route: '/api/v1/lineage', path: '$.run.runId', bytesBucket: 64 },
      },
      ...overrides,
    });
    const countsOf = async (producerId: string) =>
      (await usage.ofHour(hour)).filter((count) => count.producerId === producerId);

    it('leases all of the tokens or none', async () => {
      const producer = randomUUID();
      expect(await lease(producer, 7)).toBe(true);
      expect(await lease(producer, 4)).toBe(false);
      expect(await lease(producer, 3)).toBe(true);
      expect(await lease(producer, 1)).toBe(false);
    });

    it('leases a whole window at once', async () => {
      expect(await lease(randomUUID(), 10)).toBe(true);
    });

    it('keeps windows and producers apart', async () => {
      const producer = randomUUID();
      await lease(producer, 10);
      expect(await lease(producer, 10, now + 2_000)).toBe(true);
      expect(await lease(randomUUID(), 10)).toBe(true);
    });

    it('never leases more than the capacity to containers that ask at once', async () => {
      const producer = randomUUID();
      const answers = await Promise.all(Array.from({ length: 20 }, () => lease(producer, 3)));
      expect(answers.filter(Boolean)).toHaveLength(3);
    });

    it('adds up what is counted, also at once', async () => {
      const { producerId } = rejection();
      await Promise.all(
        [1, 2, 3, 4, 5].map((refused) => usage.count(rejection({ producerId, refused }))),
      );
      expect(await countsOf(producerId)).toMatchObject([{ rule: 'required_string', refused: 15 }]);
    });

    it('gives back each sample as it was', async () => {
      const counted = rejection();
      await usage.count(counted);
      expect(await countsOf(counted.producerId)).toEqual([
        {
          ...{ producerId: counted.producerId, rule: counted.rule, refused: 1 },
          samples: [counted.sample],
        },
      ]);
    });

    it('keeps the first samples only, and counts on', async () => {
      const { producerId } = rejection();
      const sent = Array.from({ length: MAX_SAMPLES + 3 }, () => rejection({ producerId }));
      for (const one of sent) await usage.count(one);
      const [count] = await countsOf(producerId);
      expect(count?.refused).toBe(MAX_SAMPLES + 3);
      expect(count?.samples).toEqual(sent.slice(0, MAX_SAMPLES).map(({ sample }) => sample));
    });

    it('keeps rules, producers and hours apart', async () => {
      const { producerId } = rejection();
      await usage.count(rejection({ producerId }));
      await usage.count(rejection({ producerId, rule: 'not_utf8' }));
      await usage.count(rejection({ producerId, hour: '2020-01-01T00' }));
      await usage.count(rejection());
      const counts = await countsOf(producerId);
      expect(counts.map(({ rule, refused }) => [rule, refused]).sort()).toEqual([
        ['not_utf8', 1],
        ['required_string', 1],
      ]);
    });

    it('knows nothing of an hour in which nothing was refused', async () => {
      expect(await usage.ofHour('2019-01-01T00')).toEqual([]);
    });
  });
}
