import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { runKeyOf } from '../../../lambdas/domain/openlineage/run-key.ts';
import { listPartitions } from '../../../lambdas/domain/rebuild/partition.ts';
import {
  type RebuildDependencies,
  rebuildPartition,
} from '../../../lambdas/domain/rebuild/rebuild-partition.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { ACCEPTED_AT, exportOf, recordOf, span } from '../traces/exports.ts';
import { rowsOf, storeToRebuild } from './store.ts';

const RUNS = ['57eea365-05ab-4a6c-ae67-51a8924a8d21', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'];
const TRACES = ['a1'.repeat(16), 'b2'.repeat(16), 'c3'.repeat(16)];
const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2099-01-01T00:00:00.000Z',
  clamped: false,
} as const;
const HOUR_MILLIS = 3_600_000;

/** Rebuilds everything into a fresh index, partitions in the given order. */
async function rebuilt(
  dependencies: RebuildDependencies,
  order: (prefix: string) => number = () => 0,
) {
  const partitions = await listPartitions({}, dependencies);
  partitions.sort((a, b) => order(a.prefix) - order(b.prefix));
  const counts = [];
  for (const partition of partitions) {
    counts.push(await rebuildPartition(partition, dependencies));
  }
  return counts;
}

interface Shape {
  readonly kind: 'run' | 'job' | 'trace' | 'poison';
  readonly run: number;
  readonly trace: number;
  readonly named: boolean;
  readonly parent: boolean;
  readonly hour: number;
}

const shape = fc.record<Shape>({
  kind: fc.constantFrom('run', 'run', 'job', 'trace', 'trace', 'poison'),
  run: fc.nat(RUNS.length - 1),
  trace: fc.nat(TRACES.length - 1),
  named: fc.boolean(),
  parent: fc.boolean(),
  hour: fc.nat(2),
});

function recordFrom({ kind, run, trace, named, parent, hour }: Shape, n: number): ConsumedRecord {
  const acceptedAtMillis = Date.parse(ACCEPTED_AT) - hour * HOUR_MILLIS;
  const head = { acceptedAt: new Date(acceptedAtMillis).toISOString() };
  const runId = RUNS[run] as string;
  const traceId = TRACES[trace] as string;
  if (kind === 'poison') return recordOf('{"no json', n, head);
  if (kind === 'trace') {
    const spans = [span({ traceId, runIds: named ? [runId] : [] })];
    if (parent) spans.push(span({ traceId: TRACES[(trace + 1) % TRACES.length] as string }));
    return recordOf(exportOf(...spans), n, head);
  }
  const job = { namespace: 'mcp', name: 'execute_sql' };
  const common = { producer: 'https://example.com/producer', eventTime: head.acceptedAt, job };
  const schema = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/';
  const event =
    kind === 'job'
      ? { ...common, schemaURL: `${schema}JobEvent` }
      : {
          ...{ ...common, schemaURL: `${schema}RunEvent`, eventType: 'START' },
          run: {
            runId,
            facets: {
              ...(named && { bearingnode_traceContext: { traceId, spanId: '1'.repeat(16) } }),
              ...(parent && { parent: { run: { runId: RUNS[1 - run] }, job } }),
            },
          },
          inputs: [{ namespace: 'db', name: 'orders' }],
          outputs: [],
        };
  return recordOf(JSON.stringify(event), n, head);
}

/** Stores records once more in other batches, as archive does while the index does not know that they are stored. */
async function replay(
  store: ReturnType<typeof storeToRebuild>,
  batches: ReadonlyArray<readonly ConsumedRecord[]>,
) {
  const objects = () => store.vault.versions.filter(({ key }) => key.startsWith('lineage/')).length;
  const before = objects();
  for (const batch of batches) {
    store.index.deliveryRows.clear();
    await store.archive('lineage', batch);
  }
  expect(objects()).toBe(before + batches.length);
}

describe('an index rebuilt from the vault', () => {
  it('has the rows that archive wrote, whatever came in and in whichever order it is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(shape, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        fc.infiniteStream(fc.nat(100)),
        async (batches, ranks) => {
          const store = storeToRebuild();
          let n = 0;
          for (const batch of batches) {
            const records = batch.map((one) => ({ one, record: recordFrom(one, ++n) }));
            for (const plane of ['lineage', 'traces'] as const) {
              const own = records.filter(
                ({ one }) => (one.kind === 'trace') === (plane === 'traces'),
              );
              expect([
                ...(await store.archive(
                  plane,
                  own.map(({ record }) => record),
                )),
              ]).toEqual([]);
            }
          }
          const index = new InMemoryRunIndex();
          const puts = store.vault.versions.length;
          const rank = new Map<string, number>();
          await rebuilt(store.rebuilding(index), (prefix) => {
            if (!rank.has(prefix)) rank.set(prefix, ranks.next().value);
            return rank.get(prefix) as number;
          });
          expect(rowsOf(index)).toEqual(rowsOf(store.index));
          expect(store.vault.versions).toHaveLength(puts);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('points at the first of objects that hold the same record', async () => {
    const store = storeToRebuild();
    const records = [1, 2, 3].map((n) => recordFrom(RUN_SHAPE, n));
    await store.archive('lineage', records);
    const before = structuredClone(rowsOf(store.index));
    await replay(store, [records.slice(1), records.slice(0, 2)]);
    const index = new InMemoryRunIndex();
    await rebuilt(store.rebuilding(index));
    expect(rowsOf(index)).toEqual(before);
  });

  it('takes the whole batch before a part of it that was stored within the same second', async () => {
    const store = storeToRebuild();
    const records = [1, 2, 3].map((n) => recordFrom(RUN_SHAPE, n));
    await store.archive('lineage', records);
    const before = structuredClone(rowsOf(store.index));
    store.time.now -= 1_000;
    await replay(store, [records.slice(1)]);
    const index = new InMemoryRunIndex();
    await rebuilt(store.rebuilding(index));
    expect(rowsOf(index)).toEqual(before);
  });

  it('finds a promoted delivery in the vault although staging still has it', async () => {
    const store = storeToRebuild();
    await store.archive('traces', [recordFrom({ ...RUN_SHAPE, kind: 'trace', named: false }, 1)]);
    await store.archive('lineage', [recordFrom({ ...RUN_SHAPE, named: true }, 2)]);
    expect(store.staging.versions).toHaveLength(1);
    const index = new InMemoryRunIndex();
    await rebuilt(store.rebuilding(index));
    const [delivery] = await index.traceDeliveries(TRACES[0] as string);
    expect(delivery).toMatchObject({ governed: true, location: { bucket: 'vault' } });
    expect(rowsOf(index)).toEqual(rowsOf(store.index));
  });

  it('promotes what a run named while its row was missing', async () => {
    const store = storeToRebuild();
    await store.archive('traces', [recordFrom({ ...RUN_SHAPE, kind: 'trace', named: false }, 1)]);
    // The table is lost, and the run that names the trace finds nothing of it waiting.
    const index = new InMemoryRunIndex();
    const lost = { ...store.rebuilding(index) };
    const rows = [store.index.deliveryRows, store.index.traceDeliveryRows];
    for (const map of rows as ReadonlyArray<Map<string, unknown>>) map.clear();
    await store.archive('lineage', [recordFrom({ ...RUN_SHAPE, named: true }, 2)]);
    await rebuilt({ ...lost, index: store.index });
    const [delivery] = await store.index.traceDeliveries(TRACES[0] as string);
    expect(delivery).toMatchObject({ governed: true, location: { bucket: 'vault' } });
  });

  it('says the same again when nothing was lost', async () => {
    const store = storeToRebuild();
    await store.archive('lineage', [
      recordFrom(RUN_SHAPE, 1),
      recordFrom({ ...RUN_SHAPE, kind: 'poison' }, 2),
    ]);
    const before = structuredClone(rowsOf(store.index));
    await rebuilt(store.rebuilding(store.index));
    expect(rowsOf(store.index)).toEqual(before);
  });

  it('names what is not what its key says, and files the rest', async () => {
    const store = storeToRebuild();
    await store.archive('lineage', [recordFrom(RUN_SHAPE, 1)]);
    await store.archive('lineage', [recordFrom({ ...RUN_SHAPE, run: 1 }, 2)]);
    const [altered] = store.vault.versions.filter(({ key }) => key.startsWith('lineage/'));
    store.vault.overwrite(altered as NonNullable<typeof altered>, Buffer.from('x'));
    const index = new InMemoryRunIndex();
    const counts = await rebuilt(store.rebuilding(index));
    const { bucket, key, versionId } = altered as NonNullable<typeof altered>;
    expect(counts.flatMap(({ named }) => named)).toEqual([`${bucket}/${key}@${versionId}`]);
    expect(await index.runEvents(runKeyOf(RUNS[0] as string))).toEqual([]);
    expect(await index.runEvents(runKeyOf(RUNS[1] as string))).toHaveLength(1);
  });

  it('ends with an error, not with fewer rows, when a store does not answer', async () => {
    const store = storeToRebuild();
    await store.archive('lineage', [recordFrom(RUN_SHAPE, 1)]);
    const index = new InMemoryRunIndex();
    index.faults.refuse('putRunEvent');
    await expect(rebuilt(store.rebuilding(index))).rejects.toThrow('not available');
    await rebuilt(store.rebuilding(index));
    expect(rowsOf(index)).toEqual(rowsOf(store.index));
  });

  it('ends with an error of our own as well, whatever kind it is of', async () => {
    const store = storeToRebuild();
    await store.archive('lineage', [recordFrom(RUN_SHAPE, 1)]);
    const index = new InMemoryRunIndex();
    index.putRunEvent = async () => {
      throw new TypeError('a fault of ours');
    };
    await expect(rebuilt(store.rebuilding(index))).rejects.toThrow('a fault of ours');
  });

  it.each([
    ['lineage/class=standard/', null],
    ['lineage/class=standard/', { evidence: 1 }],
    ['lineage/class=standard/', { receiptId: 'r', document: '{}', digest: 'd' }],
    ['traces/class=standard/', {}],
    ['quarantine/', null],
    ['quarantine/', { quarantine: 1, head: {} }],
    ['findings/', []],
    ['findings/', { finding: 1 }],
    ['findings/', { finding: 1, id: 'i', at: ACCEPTED_AT, status: 'confirmed', runKeys: [1] }],
  ])('names what was planted below %s, and files the rest: %j', async (folder, planted) => {
    const store = storeToRebuild();
    await store.archive('lineage', [recordFrom(RUN_SHAPE, 1)]);
    const text = JSON.stringify(planted);
    const isLines = folder.includes('class=');
    const body = isLines ? gzipSync(`${text}\n`) : Buffer.from(text);
    const name = isLines
      ? `${sha256Hex(`${text}\n`)}.ndjson.gz`
      : `${sha256Hex(text).slice(0, 16)}.json`;
    const key = `${folder}dt=2026-11-30/hour=08/x-${name}`;
    const { versionId } = await store.vault.putDocument(key, {}, LOCK);
    store.vault.overwrite({ bucket: 'vault', key, versionId }, body);
    const index = new InMemoryRunIndex();
    const counts = await rebuilt(store.rebuilding(index));
    expect(counts.flatMap(({ named }) => named)).toEqual([
      `${store.vault.bucket}/${key}@${versionId}`,
    ]);
    expect(rowsOf(index)).toEqual(rowsOf(store.index));
  });

  it('goes on where it stopped, over both buckets, and reads nothing twice', async () => {
    const store = storeToRebuild();
    for (let n = 1; n <= 40; n++) {
      await store.archive('traces', [
        recordFrom({ ...RUN_SHAPE, kind: 'trace', trace: n % 2, named: n % 2 === 0 }, n),
      ]);
    }
    const index = new InMemoryRunIndex();
    const dependencies = store.rebuilding(index);
    const opened: string[] = [];
    const objects = {
      readLocked: (version: Parameters<typeof dependencies.objects.readLocked>[0]) => {
        opened.push(version.key);
        return dependencies.objects.readLocked(version);
      },
    };
    const [partition] = await listPartitions({}, dependencies);
    let calls = 0;
    let next: Awaited<ReturnType<typeof rebuildPartition>>['next'];
    do {
      const done = await rebuildPartition(
        partition as NonNullable<typeof partition>,
        { ...dependencies, objects },
        next,
        () => false,
      );
      next = done.next;
      calls++;
    } while (next && calls < opened.length + 10);
    expect(calls).toBeGreaterThan(2);
    expect(new Set(opened).size).toBe(opened.length);
    expect(rowsOf(index)).toEqual(rowsOf(store.index));
  });
});

const RUN_SHAPE: Shape = { kind: 'run', run: 0, trace: 0, named: false, parent: true, hour: 0 };
