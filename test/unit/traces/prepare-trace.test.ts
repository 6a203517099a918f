import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../lambdas/domain/evidence/envelope.ts';
import { acceptExport } from '../../../lambdas/domain/traces/accept-export.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { REDACTION } from '../../support/builders.ts';
import { exportOf, RUN, recordOf, SPAN_2, span, TRACE_A, TRACE_B } from './exports.ts';

const envelopesOf = (prepared: ReturnType<typeof prepareTraces>): readonly Envelope[] => {
  if ('quarantined' in prepared) throw new Error(prepared.quarantined.reason);
  return prepared.envelopes;
};

const failing = {
  ...REDACTION,
  policy: {
    ...REDACTION.policy,
    treatmentOfAttribute: () => {
      throw new Error('redactor bug');
    },
  },
};

describe('prepareTraces', () => {
  it('makes one envelope for each trace of a delivery, told apart by trace id', () => {
    const envelopes = envelopesOf(
      prepareTraces(
        recordOf(exportOf(span(), span({ traceId: TRACE_B }), span({ spanId: SPAN_2 }))),
        REDACTION,
      ),
    );

    expect(envelopes.map(({ traceId }) => traceId)).toEqual([TRACE_A, TRACE_B]);
    expect(new Set(envelopes.map(({ receiptId }) => receiptId)).size).toBe(1);
    expect(new Set(envelopes.map(({ digest }) => digest)).size).toBe(2);
    expect(envelopes.every(({ kind }) => kind === 'trace')).toBe(true);
  });

  it('yields the same lines for every replay', () => {
    const record = recordOf(exportOf(span({ runIds: [RUN] })));

    expect(JSON.stringify(prepareTraces(record, REDACTION))).toBe(
      JSON.stringify(prepareTraces(record, REDACTION)),
    );
  });

  it('declares what it redacted and keeps the rest to the byte', () => {
    const text = exportOf(
      span({ attributes: [{ key: 'db.query.text', value: { stringValue: 'SELECT 7' } }] }),
    );
    const [envelope] = envelopesOf(prepareTraces(recordOf(text), REDACTION));

    expect(envelope?.document).toBe(
      text.replace('{"stringValue":"SELECT 7"}', '{"stringValue":"SELECT ?"}'),
    );
    expect(envelope?.redaction).toMatchObject({
      mode: 'full',
      fields: [
        {
          path: '$.resourceSpans[0].scopeSpans[0].spans[0].attributes[0].value.stringValue',
          rule: 'sql',
        },
      ],
    });
    expect(envelope?.facts).toMatchObject({ statements: [{ verbs: ['SELECT'] }] });
  });

  it('keeps a skeleton when the redactor fails: structure and lineage attributes, no other text', () => {
    const item = span({
      parentSpanId: SPAN_2,
      runIds: [RUN],
      attributes: [
        { key: 'lineage.dropped', value: { stringValue: 'true' } },
        { key: 'lineage.governed', value: { boolValue: true } },
        { key: 'lineage.detail', value: { stringValue: 'canary' } },
        { key: 'app.text', value: { stringValue: 'canary' } },
        { key: 'lineage.note', value: { stringValue: 'password=canary' } },
        { key: 'lineage.count', value: { intValue: '4111111111111111' } },
        { key: 'lineage.canary@example.com', value: { stringValue: 'a' } },
      ],
      name: 'canary',
      status: { code: 2, message: 'canary' },
    });
    const [envelope] = envelopesOf(prepareTraces(recordOf(exportOf(item)), failing));

    expect(envelope?.redaction).toEqual({
      policy: REDACTION.policy.id,
      mode: 'skeleton',
      reason: 'Error',
      fields: [],
    });
    expect(envelope?.document).not.toContain('canary');
    expect(JSON.parse(envelope?.document ?? '').resourceSpans[0].scopeSpans[0].spans).toEqual([
      {
        traceId: TRACE_A,
        spanId: '1'.repeat(16),
        parentSpanId: SPAN_2,
        kind: 2,
        startTimeUnixNano: '1795990226577137001',
        endTimeUnixNano: '1795990226618893002',
        attributes: [
          { key: 'lineage.run_id', value: { stringValue: RUN } },
          { key: 'lineage.dropped', value: { stringValue: 'true' } },
          { key: 'lineage.governed', value: { boolValue: true } },
          { key: 'lineage.note', value: { stringValue: 'password=[redacted:credential]' } },
          { key: 'lineage.count' },
        ],
        status: { code: 2 },
      },
    ]);
  });

  it.each([
    ['no JSON', recordOf('{"resourceSpans":['), 'unexpected_end'],
    ['another shape', recordOf('[]'), 'invalid_event'],
    ['no span', recordOf('{}'), 'no_span'],
    ['no head', { ...recordOf('{}'), data: Buffer.from('x') }, 'head_missing'],
  ])('quarantines a record with %s', (_what, record, reason) => {
    expect(prepareTraces(record, REDACTION)).toMatchObject({ quarantined: { reason } });
  });

  const workload = new URL('../../fixtures/workload/', import.meta.url);
  const recorded = readdirSync(workload).filter((name) => name.includes('spans'));

  it.each(recorded)('keeps every span of a recorded export and none of its values: %s', (name) => {
    const { body } = JSON.parse(readFileSync(new URL(name, workload), 'utf8')) as {
      body: string;
    };
    const spanIds = [...body.matchAll(/"spanId":"(\w+)"/g)].map(([, id]) => id);

    const { records, rejected } = acceptExport(body);
    const documents = records
      .flatMap((part, n) =>
        envelopesOf(prepareTraces(recordOf(Buffer.from(part.body).toString(), n), REDACTION)),
      )
      .map(({ document }) => document);

    expect(rejected).toEqual([]);
    expect(
      documents
        .flatMap((text) => [...text.matchAll(/"spanId":"(\w+)"/g)].map(([, id]) => id))
        .sort(),
    ).toEqual(spanIds.sort());
    expect(documents.join()).not.toMatch(/@|example\.com|VALUES \('/);
  });

  it('lists no more changes for all traces of a record than for one document', () => {
    const secrets = `{"x":[${Array(60_000).fill('{"token":1}').join()}]}`;
    const spans = ['a', 'b', 'c', 'd'].map((id) =>
      JSON.stringify(span({ traceId: id.repeat(32) })),
    );
    const text = `{"resourceSpans":[{"resource":${secrets},"scopeSpans":[{"spans":[${spans}]}]}]}`;
    const prepared = prepareTraces(recordOf(text), REDACTION);
    const modes = envelopesOf(prepared).map(({ redaction }) => redaction.mode);
    expect(modes).toEqual(['full', 'full', 'skeleton', 'skeleton']);
    expect(JSON.stringify(prepareTraces(recordOf(text), REDACTION))).toBe(JSON.stringify(prepared));
  });
});
