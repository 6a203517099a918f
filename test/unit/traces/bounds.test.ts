import { describe, expect, it } from 'vitest';
import type { TraceRunEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import { acceptExport } from '../../../lambdas/domain/traces/accept-export.ts';
import { linkRunsAndSpans } from '../../../lambdas/domain/traces/link-basis.ts';
import { MAX_INDEXED_LINKS, shareLinks } from '../../../lambdas/domain/traces/link-budget.ts';
import { promoteDeliveries } from '../../../lambdas/domain/traces/promote.ts';
import { readTrace } from '../../../lambdas/domain/traces/read-trace.ts';
import { exportOf, RUN, recordOf, span, TRACE_A } from './exports.ts';
import { createStore } from './store.ts';

const hex = (n: number, digits: number) => (n + 1).toString(16).padStart(digits, '0');
/** As many traces as asked for, of one span each, that begin with the same byte and so lie in one record. */
const manyTraces = (count: number, runIds: readonly string[] = [], spanId = hex(0, 16)) =>
  exportOf(
    ...Array.from({ length: count }, (_, n) =>
      span({ traceId: `a1${hex(n, 30)}`, spanId, ...(runIds.length > 0 && { runIds }) }),
    ),
  );

type Store = ReturnType<typeof createStore>;
const TABLE_CALLS: Readonly<Record<string, number>> = {
  ...{ putTraceRun: 2, promoteTraceDelivery: 3 },
  // One for a hundred records of an object: no call of a record.
  findDeliveries: 0,
};

/** Calls of the table that work on the index costs. */
async function tableCalls({ index }: Store, work: () => Promise<unknown>): Promise<number> {
  const before = index.faults.calls.length;
  await work();
  return index.faults.calls
    .slice(before)
    .reduce((sum, method) => sum + (TABLE_CALLS[method] ?? 1), 0);
}

/** Counts what is read of a store from now on. */
function countReads({ dependencies }: Store): string[] {
  const reads: string[] = [];
  const { reader } = dependencies;
  dependencies.reader = {
    read: (version) => {
      reads.push(version.versionId);
      return reader.read(version);
    },
  };
  return reads;
}

describe('a record of many spans with run ids', () => {
  it('files so many links, in the order of the spans, and says how many it left out', async () => {
    const store = createStore();
    const runIds = Array.from({ length: 32 }, (_, n) => `run-${n}`);
    const spans = Array.from({ length: 200 }, (_, n) => span({ spanId: hex(n, 16), runIds }));

    const calls = await tableCalls(store, () => store.archiveTraces(recordOf(exportOf(...spans))));

    const [row] = await store.index.traceDeliveries(TRACE_A);
    expect(row).toMatchObject({ linksNotIndexed: 200 * 32 - MAX_INDEXED_LINKS, governed: true });
    const links = await store.index.traceRuns(TRACE_A);
    expect(links).toHaveLength(MAX_INDEXED_LINKS);
    expect(links.some(({ spanId }) => spanId === hex(199, 16))).toBe(false);
    expect(store.index.referenceRows.size).toBe(32);
    expect(calls).toBe(2 * MAX_INDEXED_LINKS + 32 + 1 + 1 + 3 + 1);
    const view = JSON.parse((await readTrace(TRACE_A, store.dependencies)) ?? '');
    expect(view.qualifications).toContainEqual(
      expect.objectContaining({ code: 'links_not_listed', text: expect.stringMatching(/^1400 /) }),
    );
  });

  it('names a run once, however many spans carry it', async () => {
    const store = createStore();
    const spans = Array.from({ length: 10 }, (_, n) => span({ spanId: hex(n, 16), runIds: [RUN] }));

    await store.archiveTraces(recordOf(exportOf(...spans)));

    expect(store.index.faults.calls.filter((call) => call === 'putReference')).toHaveLength(1);
    expect(await store.index.traceRuns(TRACE_A)).toHaveLength(10);
    expect((await store.index.traceDeliveries(TRACE_A))[0]).not.toHaveProperty('linksNotIndexed');
  });
});

describe('shareLinks', () => {
  it('files a link of every trace, then the others in order', () => {
    expect(shareLinks([3, 0, 2])).toEqual([3, 0, 2]);
    expect(shareLinks([MAX_INDEXED_LINKS + 5, 0, 2])).toEqual([MAX_INDEXED_LINKS - 1, 0, 1]);
    const more = Array.from({ length: MAX_INDEXED_LINKS + 1 }, () => 2);
    expect(new Set(shareLinks(more))).toEqual(new Set([1]));
  });
});

/** At 5 ms a call with 16 in flight, 5,000 traces of one span each take 6 and 14 s of the minute that there is. */
describe('a record of many traces', () => {
  it.each([
    ['that nothing names', [], 4],
    ['that name a run', [RUN], 9],
  ])('costs a fixed number of table calls for each %s', async (_which, runIds, perTrace) => {
    for (const count of [10, 500]) {
      const store = createStore();
      const record = recordOf(manyTraces(count, runIds));
      expect(await tableCalls(store, () => store.archiveTraces(record))).toBe(perTrace * count);
    }
  });

  it('reads a staged object once to promote all traces in it', async () => {
    const store = createStore();
    await store.archiveTraces(recordOf(manyTraces(100), 1));
    const reads = countReads(store);

    await store.archiveTraces(recordOf(manyTraces(100, [RUN], hex(1, 16)), 2));

    expect(reads).toHaveLength(1);
    expect([...store.index.traceDeliveryRows.values()].filter(({ governed }) => !governed)).toEqual(
      [],
    );
  });

  it('promotes so many at once, fails what wants more, and goes on when it comes again', async () => {
    const store = createStore();
    await store.archiveTraces(recordOf(manyTraces(5)));
    const rows = () => [...store.index.traceDeliveryRows.values()];
    const waiting = () => rows().filter(({ governed }) => !governed);
    const promote = () => promoteDeliveries(waiting(), store.dependencies, undefined, 3);

    await expect(promote()).rejects.toMatchObject({ code: 'promotion_unfinished' });
    expect(waiting()).toHaveLength(2);
    await promote();

    expect(waiting()).toEqual([]);
  });

  it('is cut before it reaches the stream, so that archive can file each of its records', () => {
    const { records } = acceptExport(manyTraces(5_001));

    expect(records.map(({ body }) => JSON.parse(`${body}`).resourceSpans)).toMatchObject([
      [{ scopeSpans: [{ spans: { length: 5_000 } }] }],
      [{ scopeSpans: [{ spans: { length: 1 } }] }],
    ]);
    expect(new Set(records.map(({ partitionKey }) => partitionKey)).size).toBe(1);
  });
});

describe('readTrace', () => {
  it('reads each object once, however many deliveries lie in it', async () => {
    const store = createStore();
    const records = [1, 2, 3].map((n) => recordOf(exportOf(span({ spanId: hex(n, 16) })), n));
    await store.archiveTraces(...records);
    const reads = countReads(store);

    const text = await readTrace(TRACE_A, store.dependencies);

    expect(JSON.parse(text ?? '').deliveries).toHaveLength(3);
    expect(reads).toHaveLength(1);
  });
});

describe('linkRunsAndSpans', () => {
  const entry = (declaredBy: 'run' | 'span', spanId: string, group = 'g'): TraceRunEntry => ({
    traceId: TRACE_A,
    spanId,
    runId: RUN,
    runKey: RUN,
    declaredBy,
    submitter: { producerId: 'p', group },
    receiptId: 'r',
  });

  it('looks at each claim a fixed number of times, whatever the run says of other spans', () => {
    const looksPerClaim = [50, 500].map((size) => {
      let looks = 0;
      const counted = (claim: TraceRunEntry): TraceRunEntry => ({
        ...claim,
        get declaredBy() {
          looks++;
          return claim.declaredBy;
        },
        get runKey() {
          looks++;
          return claim.runKey;
        },
        get spanId() {
          looks++;
          return claim.spanId as string;
        },
        get submitter() {
          looks++;
          return claim.submitter;
        },
      });
      const spans = Array.from({ length: size }, (_, n) => entry('span', hex(n, 16)));
      const runs = Array.from({ length: size }, (_, n) => entry('run', `f${hex(n, 15)}`));
      linkRunsAndSpans([...spans, ...runs].map(counted));
      return looks / size;
    });

    expect(looksPerClaim[1]).toBeCloseTo(looksPerClaim[0] as number, 0);
  });
});
