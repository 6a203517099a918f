import { describe, expect, it } from 'vitest';
import type { TraceRunEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import { judgeCompleteness } from '../../../lambdas/domain/traces/completeness.ts';
import { type HeldRuns, linkRunsAndSpans } from '../../../lambdas/domain/traces/link-basis.ts';
import { runTraceLinks } from '../../../lambdas/domain/traces/run-links.ts';
import type { Span } from '../../../lambdas/domain/traces/span.ts';
import { RUN, SPAN_1, SPAN_2, SPAN_3, TRACE_A, TRACE_B } from './exports.ts';

const OTHER_RUN = '11111111-05ab-4a6c-ae67-51a8924a8d21';

function claim(
  declaredBy: 'run' | 'span',
  fields: Partial<TraceRunEntry> & { group?: string } = {},
): TraceRunEntry {
  const { group = 'agents', ...rest } = fields;
  const runId = rest.runId ?? RUN;
  return {
    traceId: TRACE_A,
    spanId: SPAN_1,
    runId,
    runKey: runId,
    declaredBy,
    submitter: { producerId: `${group}-${declaredBy}`, group },
    receiptId: 'receipt',
    ...rest,
  };
}

const bases = (entries: TraceRunEntry[], held?: HeldRuns) =>
  linkRunsAndSpans(entries, held).map(({ traceId, spanId, runId, basis }) => ({
    ...(traceId !== TRACE_A && { traceId }),
    spanId,
    ...(runId !== RUN && { runId }),
    basis,
  }));

describe('linkRunsAndSpans', () => {
  it('is mutual when each side names the other within one group, however often it was delivered', () => {
    const [link, ...others] = linkRunsAndSpans([
      claim('span'),
      claim('span', { receiptId: 'again' }),
      claim('run'),
    ]);

    expect(others).toEqual([]);
    expect(link).toMatchObject({
      basis: 'mutual',
      submitters: { run: { producerId: 'agents-run' }, span: { producerId: 'agents-span' } },
    });
  });

  it('is one-way when one side is silent', () => {
    expect(bases([claim('span')])).toEqual([{ spanId: SPAN_1, basis: 'one-way' }]);
    expect(bases([claim('run')])).toEqual([{ spanId: SPAN_1, basis: 'one-way' }]);
  });

  it('is unpaired when the two sides are of different groups', () => {
    expect(bases([claim('span'), claim('run', { group: 'strangers' })])).toEqual([
      { spanId: SPAN_1, basis: 'unpaired' },
    ]);
  });

  it('is contradictory when the run names another span than the one that names it', () => {
    expect(bases([claim('span'), claim('run', { spanId: SPAN_2 })])).toEqual([
      { spanId: SPAN_1, basis: 'contradictory' },
      { spanId: SPAN_2, basis: 'contradictory' },
    ]);
    expect(
      bases([claim('span'), claim('run', { traceId: TRACE_B, spanId: SPAN_2 })]),
    ).toContainEqual({
      spanId: SPAN_1,
      basis: 'contradictory',
    });
  });

  it('is contradictory when a run names a span that names another run', () => {
    expect(bases([claim('span', { runId: OTHER_RUN }), claim('run')])).toEqual([
      { spanId: SPAN_1, runId: OTHER_RUN, basis: 'one-way' },
      { spanId: SPAN_1, basis: 'contradictory' },
    ]);
  });

  it('takes further spans with the id of a run that agrees with one of them as one-way', () => {
    expect(bases([claim('span'), claim('span', { spanId: SPAN_2 }), claim('run')])).toEqual([
      { spanId: SPAN_1, basis: 'mutual' },
      { spanId: SPAN_2, basis: 'one-way' },
    ]);
  });

  it('judges runs of several traces pair by pair', () => {
    const elsewhere = { traceId: TRACE_B, spanId: SPAN_2 };

    expect(
      bases([claim('span'), claim('span', elsewhere), claim('run'), claim('run', elsewhere)]),
    ).toEqual([
      { spanId: SPAN_1, basis: 'mutual' },
      { traceId: TRACE_B, spanId: SPAN_2, basis: 'mutual' },
    ]);
  });

  it('is ambiguous when an id that is no UUID names runs of several other groups', () => {
    const held = new Map([['nightly', ['a', 'b']]]);

    expect(bases([claim('span', { runId: 'nightly' })], held)).toMatchObject([
      { basis: 'ambiguous' },
    ]);
    expect(bases([claim('span', { runId: 'nightly', group: 'a' })], held)).toMatchObject([
      { basis: 'one-way' },
    ]);
    expect(bases([claim('span')], new Map([[RUN, ['a', 'b']]]))).toMatchObject([
      { basis: 'one-way' },
    ]);
  });
});

describe('runTraceLinks', () => {
  it('tells the traces of a run as its own groups do', () => {
    const entries = [
      claim('span'),
      claim('span', { spanId: SPAN_3 }),
      claim('run'),
      claim('run', { group: 'strangers', traceId: TRACE_B, spanId: SPAN_2 }),
    ];

    expect(runTraceLinks(entries, new Set(['agents']), new Map())).toEqual([
      {
        traceId: TRACE_A,
        basis: 'mutual',
        spanIds: [SPAN_1, SPAN_3],
        submitters: { run: entries[2]?.submitter, span: entries[0]?.submitter },
        held: false,
        governed: false,
        retention: null,
      },
    ]);
    expect(runTraceLinks(entries, new Set(), new Map()).map(({ traceId }) => traceId)).toEqual([
      TRACE_A,
      TRACE_B,
    ]);
  });
});

describe('judgeCompleteness', () => {
  const spanOf = (spanId: string, parentSpanId?: string, parentIsRemote?: boolean): Span => ({
    traceId: TRACE_A,
    spanId,
    runIds: [],
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(parentIsRemote !== undefined && { parentIsRemote }),
  });

  it('is complete when every parent is held, in whatever order and how often', () => {
    const spans = [spanOf(SPAN_2, SPAN_1), spanOf(SPAN_1), spanOf(SPAN_2, SPAN_1)];

    expect(judgeCompleteness(spans)).toEqual({
      complete: true,
      spanCount: 2,
      rootSpanIds: [SPAN_1],
      missingParentSpanIds: [],
      remoteParentSpanIds: [],
    });
  });

  it('names the caller outside when the whole trace hangs below it', () => {
    expect(judgeCompleteness([spanOf(SPAN_2, SPAN_1), spanOf(SPAN_3, SPAN_1)])).toMatchObject({
      complete: true,
      remoteParentSpanIds: [SPAN_1],
    });
  });

  it.each([
    ['a root is held as well', [spanOf(SPAN_3), spanOf(SPAN_2, SPAN_1, true)]],
    ['the span says that its parent was of its own process', [spanOf(SPAN_2, SPAN_1, false)]],
  ])('counts an absent parent as missing when %s', (_why, spans) => {
    expect(judgeCompleteness(spans)).toMatchObject({
      complete: false,
      missingParentSpanIds: [SPAN_1],
      remoteParentSpanIds: [],
    });
  });

  it('is not complete without a span', () => {
    expect(judgeCompleteness([]).complete).toBe(false);
  });
});
