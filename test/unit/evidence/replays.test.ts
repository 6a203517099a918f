import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { leafHash, readEnvelopes } from '../../../lambdas/domain/evidence/evidence-object.ts';
import type { DeliveryEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import type { Location } from '../../../lambdas/domain/evidence/ports.ts';
import { readRun } from '../../../lambdas/domain/openlineage/read-run.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';
import { consumed as consumedAs, NOW, RUN_ID, runEventText } from '../../support/builders.ts';
import { InMemoryHoldIndex } from '../../support/fakes/holds.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { seeded } from '../../support/seeded.ts';
import { archive } from './archive.ts';

/** A record whose keyed hash is that of its bytes. */
const consumed = (n: number, body: string, head: Parameters<typeof consumedAs>[2] = {}) =>
  consumedAs(n, body, { received: { epoch: 0, hmac: sha256Hex(body) }, ...head });

const TYPES = ['START', 'RUNNING', 'RUNNING', 'FAIL', 'COMPLETE'];

/** Records of one run; some are deliveries of the same bytes, each with a receipt of its own. */
const RECORDS: readonly ConsumedRecord[] = Array.from({ length: 12 }, (_, n) => {
  const which = n % 5;
  const eventTime = `2026-03-04T05:06:0${which}Z`;
  const inputs = [{ namespace: 'n', name: `d${which}` }];
  return consumed(n, runEventText({ eventType: TYPES[which], eventTime, inputs }));
});

type Archive = ReturnType<typeof archive>;
type Version = Archive['vault']['versions'][number];

/** Every row but where its line stands, which the first writer decides. */
function rowsOf({ index }: Archive) {
  const placeless = (rows: ReadonlyMap<string, object>) =>
    [...rows]
      .map(([key, row]) => [key, { ...row, location: undefined, lock: undefined }])
      .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
  return {
    deliveries: placeless(index.deliveryRows),
    events: placeless(index.runEventRows),
    datasets: [...index.runDatasetRows.keys()].sort(),
    findings: [...index.findingRows.keys()].sort(),
  };
}

/** The answer about the run, without what names a place. */
async function answerOf({ index, vault }: Archive): Promise<unknown> {
  const view = await readRun(RUN_ID, undefined, {
    ...{ index, holds: new InMemoryHoldIndex() },
    ...{ inspector: inspectorOver(vault), reader: readerOver(vault) },
  });
  return JSON.parse(JSON.stringify(view), (name, value) =>
    name === 'location' ? undefined : value,
  );
}

/** Every row points at a line that is the record. */
function expectTrueRows({ index, vault }: Archive): void {
  for (const row of index.deliveryRows.values()) {
    const { key, versionId, line } = row.location;
    const version = vault.versions.find((held) => held.versionId === versionId);
    expect(version?.key).toBe(key);
    const envelope = readEnvelopes(version?.body as Uint8Array)[line];
    expect(envelope && leafHash(envelope)).toBe(row.leafHash);
  }
}

/** Consecutive records, as a batch of a stream is: from one position on, so many. */
const batch = fc
  .tuple(fc.nat(RECORDS.length - 1), fc.integer({ min: 1, max: RECORDS.length }))
  .map(([from, length]) => RECORDS.slice(from, from + length));

/** All records in batches that follow each other. */
const cut = fc
  .uniqueArray(fc.integer({ min: 1, max: RECORDS.length - 1 }), { maxLength: 5 })
  .map((borders) => {
    const from = [0, ...borders.sort((a, b) => a - b)];
    return from.map((start, n) => RECORDS.slice(start, from[n + 1]));
  });

/** What one pass over the records leaves. */
async function onePass() {
  const store = archive();
  await store.run(...RECORDS);
  return store;
}

describe('records that are consumed again', () => {
  it('lock nothing new, however the replay is cut, and leave rows and answers as they are', async () => {
    await fc.assert(
      fc.asyncProperty(cut, fc.array(batch, { maxLength: 4 }), cut, async (first, some, again) => {
        const store = archive();
        for (const records of first) await store.run(...records);
        const versions = [...store.vault.versions];
        const rows = JSON.stringify([...store.index.deliveryRows]);
        for (const records of [...some, ...again]) {
          expect((await store.run(...records)).failures.size).toBe(0);
        }
        expect(store.vault.versions).toEqual(versions);
        expect(JSON.stringify([...store.index.deliveryRows])).toBe(rows);
        const once = await onePass();
        expect(rowsOf(store)).toEqual(rowsOf(once));
        expect(await answerOf(store)).toEqual(await answerOf(once));
      }),
      seeded(40),
    );
  });

  it('by several archivers at once, by redrive one by one and after failures give the rows of one pass', async () => {
    const failing = fc.option(
      fc.constantFrom('putDelivery', 'putRunEvent', 'claimEvent', 'findDeliveries'),
    );
    await fc.assert(
      fc.asyncProperty(
        cut,
        fc.array(batch, { maxLength: 4 }),
        failing,
        async (all, some, fails) => {
          const store = archive();
          if (fails) store.index.faults.refuse(fails, 3);
          // A stream, a replay of it and redrive, interleaved call by call.
          const one = RECORDS.slice(0, 4).map((record) => [record]);
          await Promise.all([...all, ...some, ...one].map((records) => store.run(...records)));
          // What was refused comes again.
          for (const records of all) expect((await store.run(...records)).failures.size).toBe(0);
          const once = await onePass();
          expect(rowsOf(store)).toEqual(rowsOf(once));
          expect(await answerOf(store)).toEqual(await answerOf(once));
          expectTrueRows(store);
          const contents = store.vault.versions.map(({ content }) => content);
          expect(new Set(contents).size).toBe(contents.length);
        },
      ),
      seeded(40),
    );
  });

  it('are stored again when the vault does not hold any more what the index names', async () => {
    const { run, vault } = await onePass();
    const [version] = vault.versions;
    vault.remove(version as NonNullable<typeof version>);
    await run(...RECORDS);
    expect(vault.versions.map(({ key }) => key)).toEqual([version?.key]);
  });

  it('are stored when a row vouches for another line', async () => {
    const { run, vault, index } = archive();
    await run(consumed(1, runEventText()));
    const [[key, row]] = [...index.deliveryRows] as [[string, DeliveryEntry]];
    index.deliveryRows.set(key, { ...row, leafHash: 'f'.repeat(64) });
    await run(consumed(1, runEventText()), consumed(2, runEventText()));
    expect(vault.versions).toHaveLength(2);
  });

  /** Rows that name the leaf of the line, and a place where it is not. */
  const ELSEWHERE: ReadonlyArray<
    readonly [string, (own: Version, store: Archive) => Partial<Location>]
  > = [
    ['another document', (_, { vault }) => vault.addVersion('findings/x.json', Buffer.from('{}'))],
    [
      'another folder',
      ({ key, body }, { vault }) => vault.addVersion(key.replace('lineage/', 'traces/'), body),
    ],
    [
      'another shard',
      ({ key, body }, { vault }) => vault.addVersion(key.replace('/shard', '/other'), body),
    ],
    [
      'an object that is none',
      ({ key }, { vault }) => vault.addVersion(`${key}x`, Buffer.from('x')),
    ],
    [
      'an object of other lines',
      ({ key }, { vault }) => vault.addVersion(`${key}x`, gzipSync('{"evidence":1}\n')),
    ],
    ['another line', () => ({ line: 1 })],
    ['another bucket', () => ({ bucket: 'elsewhere' })],
  ];
  it.each(ELSEWHERE)('are stored when a row was made to name %s', async (_what, elsewhere) => {
    const store = archive();
    const records = [consumed(1, runEventText()), consumed(2, runEventText())];
    await store.run(...records);
    const [own] = store.vault.versions as [Version];
    const [[id, row]] = [...store.index.deliveryRows] as [[string, DeliveryEntry]];
    const { bucket, key, versionId, line } = {
      ...row.location,
      ...elsewhere(own, store),
    };
    store.index.deliveryRows.set(id, { ...row, location: { bucket, key, versionId, line } });
    const before = store.vault.faults.calls.filter((call) => call === 'putObject').length;
    await store.run(records[0] as ConsumedRecord);
    const puts = store.vault.faults.calls.filter((call) => call === 'putObject').length;
    expect(puts).toBe(before + 1);
  });
});

describe('deliveries', () => {
  it('of the same bytes are one event, whose copies are all known', async () => {
    const view = (await answerOf(await onePass())) as { events: Array<{ receiptIds: string[] }> };
    expect(view.events.map(({ receiptIds }) => receiptIds.length)).toEqual([3, 3, 2, 2, 2]);
    expect(view.events.flatMap(({ receiptIds }) => receiptIds).sort()).toEqual(
      RECORDS.map((_, n) => `receipt-${n}`).sort(),
    );
  });

  it('of an event with 300 datasets by several archivers at once file each dataset once', async () => {
    const store = archive();
    const inputs = Array.from({ length: 300 }, (_, n) => ({ namespace: 'n', name: `d${n}` }));
    const record = consumed(1, runEventText({ inputs }));
    await Promise.all(Array.from({ length: 4 }, () => store.run(record)));
    expect(store.index.runDatasetRows.size).toBe(300);
    expect(store.vault.versions).toHaveLength(1);
    const view = (await answerOf(store)) as { inputs: unknown[]; events: unknown[] };
    expect([view.inputs.length, view.events.length]).toEqual([300, 1]);
  });
});

describe('two events of one run, type and time', () => {
  const other = (overrides: object) =>
    runEventText({ inputs: [{ namespace: 'n', name: 'x' }], ...overrides });
  const later = { acceptedAt: new Date(NOW + 1000).toISOString() };

  it.each([[[1, 2]], [[2, 1]]])(
    'are both kept with one finding, in the order %j',
    async (order) => {
      const records = [consumed(1, runEventText()), consumed(2, other({}), later)];
      const store = archive();
      for (const n of order) await store.run(records[n - 1] as ConsumedRecord);
      for (const record of records) await store.run(record);
      expect([...store.index.findingRows.values()]).toMatchObject([
        {
          ...{ kind: 'conflicting_duplicate', subject: 'receipt-2', at: later.acceptedAt },
          ...{
            runKeys: [RUN_ID],
            detail: expect.objectContaining({ eventType: expect.any(String) }),
          },
        },
      ]);
      expect(store.vault.versions.filter(({ key }) => key.startsWith('findings/'))).toHaveLength(1);
      const view = (await answerOf(store)) as { events: unknown[]; findings: unknown[] };
      expect([view.events.length, view.findings.length]).toEqual([2, 1]);
    },
  );

  it.each([
    ['bytes are the same', runEventText(), {}],
    ['time is another', other({ eventTime: '2026-03-04T05:06:01Z' }), {}],
    ['type is another', other({ eventType: 'RUNNING' }), {}],
    ['run is another', other({ run: { runId: RUN_ID.replace('0190', '0191') } }), {}],
    ['group is another', other({}), { submitter: { producerId: 'p', group: 'another' } }],
    ['epochs differ', other({}), { received: { epoch: 1, hmac: 'cd'.repeat(32) } }],
    ['time cannot be read', other({ eventTime: 'soon' }), {}],
  ])('are no conflict when the %s', async (_why, body, head) => {
    const store = archive();
    await store.run(consumed(1, runEventText()));
    await store.run(consumed(2, body, head));
    expect(store.findings().filter((finding) => finding.startsWith('conflicting'))).toEqual([]);
  });

  it('are a conflict when the same instant is written in another way', async () => {
    const store = archive();
    await store.run(consumed(1, runEventText()));
    await store.run(consumed(2, other({ eventTime: '2026-03-04T06:06:00+01:00' })));
    expect(store.findings()).toEqual(['conflicting_duplicate receipt-2']);
  });
});
