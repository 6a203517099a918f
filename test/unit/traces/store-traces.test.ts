import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLine } from '../../../lambdas/domain/evidence/evidence-object.ts';
import { runEventText } from '../../support/builders.ts';
import { redactEvent } from '../../support/redact.ts';
import {
  exportOf,
  RUN,
  recordOf,
  SPAN_1,
  SPAN_2,
  SPAN_3,
  span,
  TRACE_A,
  TRACE_B,
} from './exports.ts';
import { createStore, runRecord } from './store.ts';

const governed = (n: number) => recordOf(exportOf(span({ runIds: [RUN] })), n);
const ungoverned = (n: number, spanId = SPAN_2) =>
  recordOf(exportOf(span({ spanId, parentSpanId: SPAN_1 })), n);

describe('storeTraces', () => {
  it('locks a trace that carries a run id and files it under trace, run and receipt', async () => {
    const { archiveTraces, vault, staging, index } = createStore();

    const { failures } = await archiveTraces(governed(1));

    expect(failures.size).toBe(0);
    expect(staging.versions).toEqual([]);
    expect(vault.versions).toMatchObject([
      {
        key: expect.stringMatching(/^traces\/class=standard\/dt=2026-11-29\/hour=12\//),
        lock: { mode: 'GOVERNANCE' },
      },
    ]);
    expect(await index.traceDeliveries(TRACE_A)).toMatchObject([
      { governed: true, spanCount: 1, location: { bucket: 'vault', line: 0 } },
    ]);
    expect(await index.traceRuns(TRACE_A)).toMatchObject([
      { spanId: SPAN_1, runId: RUN, runKey: RUN, declaredBy: 'span' },
    ]);
    expect(await index.references(RUN)).toMatchObject([{ by: 'span', from: TRACE_A }]);
    expect(await index.delivery('receipt-1')).toMatchObject({
      kind: 'trace',
      traceId: TRACE_A,
      governed: true,
    });
  });

  it('stages a trace that nothing names, without a lock', async () => {
    const { archiveTraces, vault, staging, index } = createStore();

    await archiveTraces(ungoverned(1));

    expect(vault.versions).toEqual([]);
    expect(staging.versions).toHaveLength(1);
    expect(staging.versions[0]?.lock).toBeUndefined();
    expect(await index.traceDeliveries(TRACE_A)).toMatchObject([
      { governed: false, location: { bucket: 'staging' } },
    ]);
    expect(index.faults.calls.filter((call) => call === 'traceDeliveries')).toHaveLength(1);
  });

  it('packs both kinds of one batch apart, each line where its row points', async () => {
    const { archiveTraces, dependencies, vault, staging, index } = createStore();

    await archiveTraces(
      recordOf(exportOf(span({ runIds: [RUN] }), span({ traceId: TRACE_B })), 1),
      recordOf(exportOf(span({ traceId: TRACE_B, spanId: SPAN_3 }), span({ spanId: SPAN_2 })), 2),
    );

    expect([vault.versions.length, staging.versions.length]).toEqual([1, 1]);
    for (const traceId of [TRACE_A, TRACE_B]) {
      const rows = await index.traceDeliveries(traceId);
      expect(rows).toHaveLength(2);
      for (const { governed: isGoverned, location, receiptId } of rows) {
        expect(isGoverned).toBe(traceId === TRACE_A);
        expect(readLine(await dependencies.reader.read(location), location.line)).toMatchObject({
          receiptId,
          traceId,
        });
      }
    }
  });

  it('locks what arrives later of a trace that a run has named', async () => {
    const { archiveLineage, archiveTraces, staging, index } = createStore();

    await archiveLineage(runRecord(1));
    await archiveTraces(ungoverned(2));

    expect(staging.versions).toEqual([]);
    expect(await index.traceDeliveries(TRACE_A)).toMatchObject([{ governed: true }]);
  });

  it('promotes what is staged when a run names the trace, and points both rows at the copy', async () => {
    const { archiveLineage, archiveTraces, vault, index } = createStore();

    await archiveTraces(ungoverned(1), ungoverned(2, SPAN_3));
    await archiveLineage(runRecord(3));

    const copies = vault.versions.filter(({ key }) => key.startsWith('traces/'));
    expect(copies).toHaveLength(2);
    for (const row of await index.traceDeliveries(TRACE_A)) {
      expect(row).toMatchObject({ governed: true, location: { bucket: 'vault', line: 0 } });
      expect(await index.delivery(row.receiptId)).toMatchObject({
        governed: true,
        location: row.location,
      });
    }
  });

  it('names the records that the infrastructure refused, and only those', async () => {
    const { archiveTraces, index } = createStore();
    index.faults.refuse('putTraceDelivery');

    const { failures } = await archiveTraces(
      ungoverned(1),
      recordOf(exportOf(span({ traceId: TRACE_B })), 2),
    );

    expect([...failures.values()]).toEqual(['putTraceDelivery_unavailable']);
    expect(
      (await archiveTraces(ungoverned(1), recordOf(exportOf(span({ traceId: TRACE_B })), 2)))
        .failures.size,
    ).toBe(0);
    expect(await index.traceDeliveries(TRACE_A)).toHaveLength(1);
    expect(await index.traceDeliveries(TRACE_B)).toHaveLength(1);
  });

  it.each(['[manual]', 'nightly token', '{run: 1}', 'Copy/S3'])(
    'links the run that is called "%s" by its name',
    async (runId) => {
      const { archiveTraces, index } = createStore();

      await archiveTraces(recordOf(exportOf(span({ runIds: [runId] }))));

      expect(await index.traceRuns(TRACE_A)).toMatchObject([{ runId }]);
    },
  );

  it.each(['https://runs.example.com/7?token=abcdef', 'password=abcdef', 'jane@example.com'])(
    'links the run that is called %s by what its events call it then',
    async (runId) => {
      const { archiveTraces, index } = createStore();
      const event = JSON.parse(redactEvent(runEventText({ run: { runId } })).text);

      await archiveTraces(recordOf(exportOf(span({ runIds: [runId, RUN] }))));

      const runs = (await index.traceRuns(TRACE_A)).map((run) => run.runId).sort();
      expect(runs).toEqual([event.run.runId, RUN].sort());
      expect(runs).not.toContain(runId);
    },
  );

  it('leaves nothing of a governed trace in staging, whatever happens at once, fails and is repeated', async () => {
    const methods = [
      'putDelivery',
      'putTraceDelivery',
      'putTraceRun',
      'putReference',
      'promoteTraceDelivery',
      'isTraceLinked',
      'traceDeliveries',
    ];
    const event = fc.constantFrom(
      'run',
      'governed span',
      'ungoverned spans',
      'ungoverned spans',
      'mixed batch',
    );

    await fc.assert(
      fc.asyncProperty(
        fc
          .array(event, { minLength: 2, maxLength: 6 })
          .filter((events) => events.some((name) => name !== 'ungoverned spans')),
        fc.array(fc.constantFrom(...methods), { maxLength: 3 }),
        fc.scheduler(),
        async (events, refused, scheduler) => {
          const { archiveLineage, archiveTraces, vault, staging, index } = createStore();
          for (const target of [vault, staging, index]) interleave(target, scheduler);
          for (const method of refused) index.faults.refuse(method);
          const untilStored = async (
            archive: () => Promise<{ failures: ReadonlyMap<string, string> }>,
          ) => {
            while ((await archive()).failures.size > 0);
          };
          const actors = events.map((name, at) => {
            const n = 10 * at;
            if (name === 'run') return untilStored(() => archiveLineage(runRecord(n)));
            if (name === 'governed span') return untilStored(() => archiveTraces(governed(n)));
            if (name === 'mixed batch')
              return untilStored(() =>
                archiveTraces(ungoverned(n), governed(n + 1), ungoverned(n + 2)),
              );
            return untilStored(() => archiveTraces(ungoverned(n), ungoverned(n + 1, SPAN_3)));
          });

          await scheduler.waitFor(Promise.all(actors));

          const rows = [...index.traceDeliveryRows.values()];
          const expected = events.map(
            (name) =>
              ({ run: 0, 'governed span': 1, 'mixed batch': 3, 'ungoverned spans': 2 })[name] ?? 0,
          );
          expect(rows).toHaveLength(expected.reduce((sum, count) => sum + count, 0));
          for (const row of [
            ...rows,
            ...[...index.deliveryRows.values()].filter(({ kind }) => kind === 'trace'),
          ]) {
            expect(row).toMatchObject({ governed: true, location: { bucket: 'vault' } });
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Lets the scheduler decide when each call of a store takes effect. */
function interleave(target: object, scheduler: fc.Scheduler): void {
  const methods = target as Record<string, unknown>;
  const names = [
    'putObject',
    'putDelivery',
    'putRunEvent',
    'putReference',
    'putTraceDelivery',
    'putTraceRun',
    'promoteTraceDelivery',
    'isTraceLinked',
    'traceDeliveries',
  ];
  for (const name of names) {
    const original = methods[name];
    if (typeof original !== 'function') continue;
    methods[name] = scheduler.scheduleFunction((...given: unknown[]) =>
      original.apply(target, given),
    );
  }
}
