import { describe, expect, it } from 'vitest';
import { mergeExports } from '../../../lambdas/domain/traces/merge-exports.ts';
import { readTrace } from '../../../lambdas/domain/traces/read-trace.ts';
import { exportOf, RUN, recordOf, SPAN_1, SPAN_2, SPAN_3, span, TRACE_A } from './exports.ts';
import { createStore, runRecord } from './store.ts';

const big = { key: 'rows', value: { intValue: '@9007199254740993@' } };
/** JSON.stringify cannot print a 64-bit number; the marks around its digits are taken away again. */
const withNumbers = (text: string) => text.replace(/"@(\d+)@"/g, '$1');

async function answer(store: ReturnType<typeof createStore>) {
  const text = await readTrace(TRACE_A, store.dependencies);
  return { text: text ?? '', view: JSON.parse(text ?? 'null') };
}

describe('readTrace', () => {
  it('answers a governed trace: spans to the byte, the run, both submitters, where and until when', async () => {
    const store = createStore();
    const text = withNumbers(exportOf(span({ runIds: [RUN], attributes: [big] })));
    await store.archiveLineage(runRecord(1));
    await store.archiveTraces(recordOf(text, 2));

    const { text: printed, view } = await answer(store);

    expect(printed).toContain(`"spans":${text},`);
    expect(view).toMatchObject({
      traceId: TRACE_A,
      spanDeliveries: [{ spanId: SPAN_1, receiptIds: ['receipt-2'] }],
      runs: [
        {
          runId: RUN,
          held: true,
          basis: 'mutual',
          spanId: SPAN_1,
          submitters: { run: {}, span: {} },
        },
      ],
      completeness: { complete: true },
      retention: { staged: false, mode: 'GOVERNANCE', retainUntil: '2027-01-05T00:00:00.000Z' },
      deliveries: [
        { receiptId: 'receipt-2', staged: false, location: { bucket: 'vault', line: 0 } },
      ],
      qualifications: [{ code: 'not_sealed' }],
    });
    expect(view.notEstablished).toContain('actorIdentity');
  });

  it('shows a span that was delivered twice once, and different content of one span twice', async () => {
    const store = createStore();
    const twice = span({ spanId: SPAN_2, parentSpanId: SPAN_1 });
    await store.archiveTraces(
      recordOf(exportOf(span(), twice), 1),
      recordOf(exportOf(twice, span({ kind: 3 })), 2),
    );

    const { view } = await answer(store);

    expect(view.spans.resourceSpans).toHaveLength(1);
    expect(view.spans.resourceSpans[0].scopeSpans[0].spans).toHaveLength(3);
    expect(view.spanDeliveries).toContainEqual({
      spanId: SPAN_2,
      receiptIds: ['receipt-1', 'receipt-2'],
    });
    expect(view.completeness).toMatchObject({ complete: true, spanCount: 2 });
    expect(view.qualifications.map(({ code }: { code: string }) => code)).toEqual([
      'not_sealed',
      'trace_in_staging',
      'conflicting_span',
    ]);
    expect(view.retention).toEqual({ staged: true, mode: null, retainUntil: null });
  });

  it('says which delivery cannot be read, and that the trace is not complete without it', async () => {
    const store = createStore();
    await store.archiveTraces(recordOf(exportOf(span()), 1));
    await store.archiveTraces(recordOf(exportOf(span({ spanId: SPAN_3 })), 2));
    store.staging.remove(store.staging.versions[1] as (typeof store.staging.versions)[number]);

    const { view } = await answer(store);

    expect(view.completeness.complete).toBe(false);
    expect(view.qualifications).toContainEqual(
      expect.objectContaining({
        code: 'delivery_unreadable',
        text: expect.stringContaining('receipt-2'),
      }),
    );
  });

  it('answers a trace that only a run names, and nothing for one that nobody names', async () => {
    const store = createStore();
    expect(await readTrace(TRACE_A, store.dependencies)).toBeUndefined();

    await store.archiveLineage(runRecord(1));

    expect((await answer(store)).view).toMatchObject({
      spans: { resourceSpans: [] },
      runs: [{ runId: RUN, basis: 'one-way' }],
      completeness: { complete: false, spanCount: 0 },
      deliveries: [],
      qualifications: [{ code: 'not_sealed' }, { code: 'trace_not_held' }],
    });
  });
});

describe('mergeExports', () => {
  it('leaves out what is over the bound, counts it and still knows the spans', () => {
    const document = exportOf(span(), span({ spanId: SPAN_2 }), span({ spanId: SPAN_3 }));

    const { json, spans, leftOut } = mergeExports([{ receiptId: 'r', document }], document.length);

    expect(JSON.parse(json).resourceSpans[0].scopeSpans[0].spans.length + leftOut).toBe(3);
    expect(leftOut).toBeGreaterThan(0);
    expect(spans).toHaveLength(3);
  });
});
