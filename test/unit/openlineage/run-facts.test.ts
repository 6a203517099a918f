import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { readDatasets } from '../../../lambdas/domain/openlineage/datasets.ts';
import { readRunFacts } from '../../../lambdas/domain/openlineage/run-facts.ts';
import { runKeyOf } from '../../../lambdas/domain/openlineage/run-key.ts';
import { runEventText } from '../../support/builders.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const facts = (facets: Record<string, unknown>) =>
  readRunFacts(new JsonDocument(runEventText({ run: { runId: 'r', facets } })), [
    'bearingnode_traceContext',
    'other',
  ]);

describe('facts of a run event', () => {
  it('are none when it has no facets', () => {
    expect(readRunFacts(new JsonDocument(runEventText()), ['x'])).toEqual({
      traceContexts: [],
      tags: {},
    });
  });

  it('take parent and root as declared', () => {
    const job = { namespace: 'n', name: 'j' };
    const parent = { run: { runId: 'P' }, job, root: { run: { runId: 'R' }, job } };
    expect(facts({ parent })).toMatchObject({
      parent: { runId: 'P', job },
      root: { runId: 'R', job },
    });
  });

  it.each([
    [{}],
    [{ run: {} }],
    [{ run: { runId: '' } }],
    [{ run: { runId: 5 } }],
    [{ job: { namespace: 'n', name: 'j' } }],
  ])('call a parent that names no run malformed: %j', (parent) => {
    expect(facts({ parent })).toMatchObject({ parentMalformed: true });
    expect(facts({ parent })).not.toHaveProperty('parent');
  });

  it('join a span by the configured facets only', () => {
    const context = { traceId: TRACE.toUpperCase(), spanId: SPAN };
    expect(facts({ bearingnode_traceContext: context, acme_trace: context }).traceContexts).toEqual(
      [{ traceId: TRACE, spanId: SPAN }],
    );
  });

  it.each([['0'.repeat(32)], ['abc'], [`${TRACE}0`], [7], [null]])(
    'join nothing by the trace id %j',
    (traceId) => {
      expect(facts({ bearingnode_traceContext: { traceId, spanId: SPAN } }).traceContexts).toEqual(
        [],
      );
    },
  );

  it.each([['0'.repeat(16)], ['abc'], [undefined]])(
    'keep the trace and leave out the span id %j',
    (spanId) => {
      expect(facts({ bearingnode_traceContext: { traceId: TRACE, spanId } }).traceContexts).toEqual(
        [{ traceId: TRACE }],
      );
    },
  );

  it('take lineage tags and no others', () => {
    const tags = [
      { key: 'lineage.derivation', value: 'parsed-intent' },
      { key: 'team', value: 'x' },
      { key: 'lineage.n', value: 1 },
    ];
    expect(facts({ tags: { tags } }).tags).toEqual({ 'lineage.derivation': 'parsed-intent' });
  });

  it('never outgrow an index row', () => {
    const huge = 'x'.repeat(200_000);
    const tags = Array.from({ length: 500 }, (_, n) => ({
      key: `lineage.${n}${huge}`.slice(0, 2_000),
      value: huge.slice(0, 2_000),
    }));
    const text = runEventText({
      run: { runId: 'r', facets: { parent: { run: { runId: huge } }, tags: { tags } } },
      job: { namespace: 'n', name: 'j', facets: { jobType: { processingType: huge } } },
    });
    const read = readRunFacts(new JsonDocument(text), []);
    expect(JSON.stringify(read).length).toBeLessThan(100_000);
  });
});

describe('datasets of an event', () => {
  const datasets = (overrides: Record<string, unknown>) =>
    readDatasets(new JsonDocument(runEventText(overrides)));

  it('are listed once for each way they are accessed', () => {
    const d = { namespace: 'n', name: 'd' };
    expect(datasets({ inputs: [d, d], outputs: [d] })).toEqual([
      { ...d, access: 'read' },
      { ...d, access: 'write' },
    ]);
  });

  it('are compared as pairs', () => {
    expect(
      datasets({
        inputs: [
          { namespace: 'a', name: 'b,c' },
          { namespace: 'a,b', name: 'c' },
        ],
      }),
    ).toHaveLength(2);
  });

  it.each([[null], [{}], ['x'], [[null, 1, {}, { name: 'd' }]]])(
    'are none in inputs like %j',
    (inputs) => {
      expect(datasets({ inputs })).toEqual([]);
    },
  );
});

describe('runKeyOf', () => {
  it('compares UUIDs without regard to case and other ids as they are', () => {
    expect(runKeyOf('0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B')).toBe(
      '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
    );
    expect(runKeyOf('Run-A')).toBe('Run-A');
  });
});
