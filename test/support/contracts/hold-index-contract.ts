import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Hold } from '../../../lambdas/domain/holds/hold.ts';
import type { HoldIndex } from '../../../lambdas/domain/holds/ports.ts';

function holdOf(overrides: Partial<Hold> = {}): Hold {
  const runId = randomUUID();
  return {
    hold: 1,
    ...{ id: randomBytes(32).toString('hex'), number: 1, status: 'active' },
    ...{ runId, runKey: runId, reference: 'c', reason: 'r', by: 'p' },
    at: '2026-03-04T05:06:07.890Z',
    ...overrides,
  };
}

/** What every index of holds does, the fake as well as DynamoDB. Ids are fresh, so that it can run on a table in use. */
export function describeHoldIndexContract(name: string, create: () => HoldIndex): void {
  describe(`hold index contract: ${name}`, () => {
    let holds: HoldIndex;
    beforeAll(() => {
      holds = create();
    });

    it('gives back a hold as it was put, by its run', async () => {
      const hold = holdOf({ group: 'g' });
      expect(await holds.ofRun(hold.runKey)).toEqual([]);
      await holds.put(hold);
      await holds.put(hold);
      expect(await holds.ofRun(hold.runKey)).toEqual([hold]);
      expect(await holds.hasAny()).toBe(true);
    });

    it('keeps the later step, in whatever order they come', async () => {
      const set = holdOf();
      const released: Hold = { ...set, number: 2, status: 'released' };
      await holds.put(released);
      await holds.put(set);
      expect(await holds.ofRun(set.runKey)).toEqual([released]);
    });

    it('lists each hold once, page by page', async () => {
      const put = [holdOf(), holdOf(), holdOf()];
      for (const hold of put) await holds.put(hold);
      const listed: string[] = [];
      let after: string | undefined;
      do {
        const { holds: page, next } = await holds.list(2, after);
        expect(page.length).toBeLessThanOrEqual(2);
        listed.push(...page.map(({ id }) => id));
        after = next;
      } while (after !== undefined);
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed).toEqual(expect.arrayContaining(put.map(({ id }) => id)));
    });

    it('keeps one cover of each hold for a subject, the later one', async () => {
      const subject = `vault/${randomUUID()}@v`;
      const cover = { holdId: randomBytes(32).toString('hex'), reference: 'c' };
      expect(await holds.covers(subject)).toEqual([]);
      await holds.putCover(subject, { ...cover, number: 2 });
      await holds.putCover(subject, { ...cover, number: 1 });
      const other = { ...cover, holdId: randomBytes(32).toString('hex'), number: 1 };
      await holds.putCover(subject, other);
      const covers = await holds.covers(subject);
      expect(covers).toHaveLength(2);
      expect(covers).toEqual(expect.arrayContaining([{ ...cover, number: 2 }, other]));
    });
  });
}
