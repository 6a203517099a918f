import { randomInt, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { INDEX_SHARDS } from '../../../lambdas/domain/evidence/hour-shard.ts';
import type { DeliveryEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import type { RunIndex } from '../../../lambdas/domain/evidence/run-index.ts';
import { openFinding } from '../../../lambdas/domain/findings.ts';
import { deliveryEntry, runEventEntry, traceDeliveryEntry } from '../builders.ts';

const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2099-01-01T00:00:00.000Z',
  clamped: false,
} as const;
const location = (key: string) => ({ bucket: 'b', key, versionId: `v-${key}`, line: 3 });

/** A global index is only eventually consistent. */
const EVENTUALLY = { timeout: 10_000, interval: 100 };

/** What every run index does, the fake as well as DynamoDB. Ids are fresh, so that it can run on a table in use. */
export function describeRunIndexContract(
  name: string,
  create: () => RunIndex | Promise<RunIndex>,
): void {
  describe(`run index contract: ${name}`, () => {
    let index: RunIndex;
    beforeAll(async () => {
      index = await create();
    });

    it('answers nothing for what it does not know', async () => {
      const id = randomUUID();
      expect(await index.delivery(id)).toBeUndefined();
      const lists = [
        index.runEvents(id),
        index.runDatasets(id),
        index.references(id),
        index.runTraces(id),
        index.runFindings(id),
        index.folderFindings(`vault/lineage/${id}/`),
        index.traceDeliveries(id),
        index.traceRuns(id),
      ];
      expect(await Promise.all(lists)).toEqual(lists.map(() => []));
    });

    it('gives back a row as it was put', async () => {
      const entry = runEventEntry({
        runKey: randomUUID(),
        lock: LOCK,
        tags: { 'lineage.ü': '' },
        parent: { runId: 'P' },
      });
      expect(await index.holdsRun(entry.runKey)).toBe(false);
      await index.putRunEvent(entry);
      expect(await index.runEvents(entry.runKey)).toEqual([entry]);
      expect(await index.holdsRun(entry.runKey)).toBe(true);
    });

    it('keeps the first location of a delivery and of an event', async () => {
      const ids = { receiptId: randomUUID(), runKey: randomUUID(), lock: LOCK };
      for (const key of ['first', 'second']) {
        await index.putDelivery(deliveryEntry({ ...ids, location: location(key) }));
        await index.putRunEvent(runEventEntry({ ...ids, location: location(key) }));
      }
      expect(await index.delivery(ids.receiptId)).toMatchObject({ location: location('first') });
      expect(await index.runEvents(ids.runKey)).toMatchObject([{ location: location('first') }]);
    });

    it.each(['run', 'trace'] as const)(
      'answers the archived delivery of a %s that was quarantined first',
      async (kind) => {
        const ids = { receiptId: randomUUID(), lock: LOCK };
        const quarantined = deliveryEntry({ ...ids, kind: 'quarantine', location: location('q') });
        const traceId = kind === 'trace' ? { traceId: randomUUID() } : {};
        const archived = deliveryEntry({ ...ids, ...traceId, kind, location: location('a') });
        await index.putDelivery(quarantined);
        expect(await index.delivery(ids.receiptId)).toEqual(quarantined);
        await index.putDelivery(archived);
        expect(await index.delivery(ids.receiptId)).toEqual(archived);
      },
    );

    it('finds the deliveries of many records at once, in their order', async () => {
      const of = (n: number) => ({ receiptId: `${run}-${n}`, lock: LOCK });
      const run = randomUUID();
      const records = Array.from({ length: 250 }, (_, n) => n);
      const held = records.filter((n) => n % 2 === 0);
      await Promise.all(held.map((n) => index.putDelivery(deliveryEntry(of(n)))));
      await index.putDelivery(deliveryEntry({ ...of(1), kind: 'quarantine' }));
      const traced = deliveryEntry({ ...of(0), kind: 'trace', traceId: 't' });
      await index.putDelivery(traced);
      const found = await index.findDeliveries([...records, 0].map(of));
      expect(found.map((entry) => entry?.receiptId)).toEqual(
        [...records, 0].map((n) => (n % 2 === 0 ? `${run}-${n}` : undefined)),
      );
      expect(await index.findDeliveries([{ ...of(0), traceId: 't' }])).toEqual([traced]);
      expect(await index.findDeliveries([])).toEqual([]);
    });

    it('holds one row after many writers put the same at once', async () => {
      const entry = runEventEntry({ runKey: randomUUID(), lock: LOCK });
      await Promise.all(Array.from({ length: 10 }, () => index.putRunEvent(entry)));
      expect(await index.runEvents(entry.runKey)).toEqual([entry]);
    });

    it('keeps every receipt of a run', async () => {
      const runKey = randomUUID();
      const receipts = Array.from({ length: 30 }, (_, n) => `r${n}`);
      await Promise.all(
        receipts.map((receiptId) =>
          index.putRunEvent(runEventEntry({ runKey, receiptId, lock: LOCK })),
        ),
      );
      const found = (await index.runEvents(runKey)).map(({ receiptId }) => receiptId);
      expect(found.sort()).toEqual(receipts.sort());
    });

    it('never mixes runs whose keys look alike', async () => {
      const base = randomUUID();
      const keys = [base, base.toUpperCase(), `${base}:`, `${base}/x`, ` ${base}`, `${base}\u0000`];
      for (const runKey of keys)
        await index.putRunEvent(runEventEntry({ runKey, receiptId: runKey, lock: LOCK }));
      for (const runKey of keys)
        expect((await index.runEvents(runKey)).map(({ receiptId }) => receiptId)).toEqual([runKey]);
    });

    it('files a dataset once for each group and access, under names of any characters', async () => {
      const runKey = randomUUID();
      const row = {
        runKey,
        group: 'g',
        access: 'read',
        namespace: '',
        name: "a'b/c",
        receiptId: 'first',
      } as const;
      await index.putRunDataset(row);
      await index.putRunDataset({ ...row, receiptId: 'second' });
      await index.putRunDataset({ ...row, access: 'write' });
      await index.putRunDataset({ ...row, group: 'h' });
      const found = await index.runDatasets(runKey);
      expect(found).toHaveLength(3);
      expect(found).toContainEqual(row);
    });

    it('keeps the receipt that sorts first of those that name a dataset or a run, in any order', async () => {
      const runKey = randomUUID();
      const dataset = { runKey, group: 'g', access: 'read', namespace: 'n', name: 'd' } as const;
      const reference = { runKey, runId: 'r', by: 'parent', from: 'child', group: 'g' } as const;
      for (const receiptId of ['r0_2', 'r0_1', 'r0_3', 'r0_1']) {
        await index.putRunDataset({ ...dataset, receiptId });
        await index.putReference({ ...reference, receiptId });
      }
      expect(await index.runDatasets(runKey)).toEqual([{ ...dataset, receiptId: 'r0_1' }]);
      expect(await index.references(runKey)).toEqual([{ ...reference, receiptId: 'r0_1' }]);
    });

    it('finds declarations by namespace and name as a pair', async () => {
      const [namespace, name] = [randomUUID(), 'a:b'];
      const row = {
        job: { namespace, name },
        receiptId: 'r',
        acceptedAt: '2026-01-01T00:00:00.000Z',
        group: 'g',
      };
      await index.putDeclaration(row);
      expect(await index.declarations({ namespace, name })).toEqual([row]);
      expect(await index.declarations({ namespace: `${namespace}:a`, name: 'b' })).toEqual([]);
    });

    it('finds who refers to a run', async () => {
      const runKey = randomUUID();
      const row = {
        runKey,
        runId: runKey,
        by: 'parent',
        from: 'child',
        group: 'g',
        receiptId: 'r',
      } as const;
      for (const by of ['parent', 'root', 'parent'] as const)
        await index.putReference({ ...row, by });
      expect((await index.references(runKey)).map(({ by }) => by).sort()).toEqual([
        'parent',
        'root',
      ]);
    });

    it('finds the link of a run and a trace from both sides', async () => {
      const [runKey, traceId] = [randomUUID(), randomUUID()];
      const submitter = { producerId: 'p', group: 'g' };
      const link = {
        traceId,
        runId: runKey,
        runKey,
        declaredBy: 'run',
        submitter,
        receiptId: 'r',
      } as const;
      expect(await index.isTraceLinked(traceId)).toBe(false);
      await index.putTraceRun(link);
      expect(await index.isTraceLinked(traceId)).toBe(true);
      await index.putTraceRun(link);
      await index.putTraceRun({ ...link, spanId: 's' });
      expect(await index.runTraces(runKey)).toHaveLength(2);
      expect(await index.traceRuns(traceId)).toEqual(
        expect.arrayContaining([link, { ...link, spanId: 's' }]),
      );
    });

    it('points a staged delivery at its promoted copy, once', async () => {
      const ids = {
        receiptId: randomUUID(),
        traceId: randomUUID(),
        lock: LOCK,
        governed: false,
        location: location('staged'),
      };
      const entry = traceDeliveryEntry(ids);
      await index.putTraceDelivery(entry);
      await index.putDelivery(deliveryEntry({ ...ids, kind: 'trace' }));
      const later = { ...LOCK, retainUntil: '2100-01-01T00:00:00.000Z' };
      await index.promoteTraceDelivery(entry, location('vault'), later);
      await index.promoteTraceDelivery(entry, location('other'), LOCK);
      const promoted = { governed: true, location: location('vault'), lock: later };
      expect(await index.traceDeliveries(ids.traceId)).toEqual([{ ...entry, ...promoted }]);
      expect(await index.delivery(ids.receiptId)).toMatchObject(promoted);
    });

    it('lists the events of a run whose lock ends before a time', async () => {
      const runKey = randomUUID();
      const ends = ['2098-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'];
      for (const retainUntil of ends) {
        const lock = { ...LOCK, retainUntil };
        await index.putRunEvent(runEventEntry({ runKey, receiptId: retainUntil, lock }));
      }
      const endingBefore = async (time: string) => {
        const found: string[] = [];
        for await (const { receiptId } of index.runEventsLockedBefore(runKey, time))
          found.push(receiptId);
        return found.sort();
      };
      expect(await endingBefore('2098-01-01T00:00:00.000Z')).toEqual([]);
      expect(await endingBefore('2099-01-01T00:00:00.000Z')).toEqual([ends[0]]);
      expect(await endingBefore('2099-01-01T00:00:01.000Z')).toEqual(ends);
    });

    it('promises a longer lock in every row of a record, never a shorter one', async () => {
      const ids = { receiptId: randomUUID(), runKey: randomUUID(), lock: LOCK };
      const event = runEventEntry(ids);
      await index.putRunEvent(event);
      await index.putDelivery(deliveryEntry(ids));
      const of = { receiptId: randomUUID(), traceId: randomUUID(), lock: LOCK };
      const trace = traceDeliveryEntry(of);
      await index.putTraceDelivery(trace);
      await index.putDelivery(deliveryEntry({ ...of, kind: 'trace' }));

      const later = { ...LOCK, retainUntil: '2100-01-01T00:00:00.000Z' };
      for (const retainUntil of [later.retainUntil, LOCK.retainUntil]) {
        await index.extendRow(event, retainUntil);
        await index.extendRow(trace, retainUntil);
        expect(await index.runEvents(ids.runKey)).toEqual([{ ...event, lock: later }]);
        expect(await index.traceDeliveries(of.traceId)).toEqual([{ ...trace, lock: later }]);
        for (const { receiptId } of [ids, of])
          expect(await index.delivery(receiptId)).toMatchObject({ lock: later });
      }
    });

    it('answers the first claim of a type and time of a run, to every group its own', async () => {
      const claim = {
        ...{ group: 'g', runKey: randomUUID(), eventType: 'START', eventTimeUtc: 't', epoch: 3 },
        ...{ receiptId: 'r1', acceptedAt: 'a', receivedHmac: 'h1', lock: LOCK },
      };
      const other = { ...claim, receiptId: 'r2', receivedHmac: 'h2' };
      expect(await index.claimEvent(claim)).toEqual(claim);
      expect(await index.claimEvent(other)).toEqual(claim);
      expect(await index.claimEvent(claim)).toEqual(claim);
      for (const apart of [{ group: 'G' }, { eventType: 'FAIL' }, { eventTimeUtc: 'T' }])
        expect(await index.claimEvent({ ...other, ...apart })).toEqual({ ...other, ...apart });
    });

    it('extends no row that is not there', async () => {
      const entry = runEventEntry({ runKey: randomUUID(), receiptId: randomUUID(), lock: LOCK });
      await index.extendRow(entry, '2100-01-01T00:00:00.000Z');
      expect(await index.runEvents(entry.runKey)).toEqual([]);
      expect(await index.delivery(entry.receiptId)).toBeUndefined();
    });

    it('lists a finding once beside each run that it concerns', async () => {
      const runKeys = [randomUUID(), randomUUID()];
      const about = {
        plane: 'lineage',
        subject: randomUUID(),
        at: '2026-01-01T00:00:00.000Z',
        detail: { n: 1 },
      } as const;
      const finding = openFinding('retention_short', { ...about, runKeys });
      await index.putFinding(finding);
      await index.putFinding(finding);
      for (const runKey of runKeys) expect(await index.runFindings(runKey)).toEqual([finding]);
    });

    it('lists a finding that concerns no run by the folder that it is in, and no other there', async () => {
      const folder = `vault/lineage/${randomUUID()}/`;
      const about = { plane: 'store', at: '2026-01-01T00:00:00.000Z', detail: {} } as const;
      const put = async (subject: string, runKeys: string[] = []) => {
        const finding = openFinding('version_not_indexed', { ...about, subject, runKeys });
        await index.putFinding(finding);
        return finding;
      };
      const [beside, itself] = [await put(`${folder}x@v`), await put(folder)];
      await put(`${folder}deeper/x@v`);
      await put(`${folder}y@v`, [randomUUID()]);
      await put(folder.replace('lineage', 'elsewhere'));
      const found = await index.folderFindings(folder);
      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining([beside, itself]));
      expect(await index.folderFindings(folder.replace('lineage', 'elsewhere'))).toEqual([]);
    });

    it('keeps every observation of a finding, and the first of those that are the same', async () => {
      const runKey = randomUUID();
      const finding = openFinding('retention_short', {
        plane: 'lineage',
        subject: randomUUID(),
        at: '2026-01-01T00:00:00.000Z',
        runKeys: [runKey],
        detail: { n: 1 },
      });
      const observations = [
        finding,
        { ...finding, at: '2026-01-02T00:00:00.000Z' },
        { ...finding, status: 'resolved' as const },
      ];
      for (const observation of observations) await index.putFinding(observation);
      await index.putFinding({ ...finding, detail: { n: 2 } });
      const found = await index.runFindings(runKey);
      expect(found).toHaveLength(observations.length);
      expect(found).toEqual(expect.arrayContaining(observations));
    });

    it('lists what was accepted in an hour, every shard of it and nothing else', async () => {
      const hour =
        Date.UTC(randomInt(1971, 2000), 0, 1, randomInt(24)) + randomInt(300) * 86_400_000;
      const at = (millis: number) => ({ acceptedAt: new Date(millis).toISOString(), lock: LOCK });
      const inside = Array.from({ length: 20 }, (_, n) =>
        deliveryEntry({ receiptId: randomUUID(), ...at(hour + n * 189_473) }),
      );
      const outside = [hour - 1, hour + 3_600_000].map((millis) =>
        deliveryEntry({ receiptId: randomUUID(), ...at(millis) }),
      );
      for (const entry of [...inside, ...outside]) await index.putDelivery(entry);
      await vi.waitFor(async () => {
        const found = await acceptedIn(new Date(hour).toISOString().slice(0, 13));
        const known = new Set([...inside, ...outside].map(({ receiptId }) => receiptId));
        const ids = found.map(({ receiptId }) => receiptId).filter((id) => known.has(id));
        expect(ids.sort()).toEqual(inside.map(({ receiptId }) => receiptId).sort());
      }, EVENTUALLY);
    });

    async function acceptedIn(hour: string): Promise<DeliveryEntry[]> {
      const found: DeliveryEntry[] = [];
      for (let shard = 0; shard < INDEX_SHARDS; shard++) {
        for await (const entry of index.acceptedInHour(hour, shard)) found.push(entry);
      }
      return found;
    }
  });
}
