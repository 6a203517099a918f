import { describe, expect, it } from 'vitest';
import { InvalidEventError } from '../../../lambdas/domain/errors.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { readExport } from '../../../lambdas/domain/traces/otlp.ts';
import { exportOf, RUN, RUN_ID_ATTRIBUTES, SPAN_1, SPAN_2, span, TRACE_A } from './exports.ts';

const read = (text: string) => readExport(new JsonDocument(text), RUN_ID_ATTRIBUTES);

describe('readExport', () => {
  it('reads what the store must know of a span', () => {
    const { spans, rejected, deviations } = read(
      exportOf(span({ parentSpanId: SPAN_2, runIds: [RUN], status: { code: 2 }, flags: 0x301 })),
    );

    expect(spans).toMatchObject([
      {
        traceId: TRACE_A,
        spanId: SPAN_1,
        parentSpanId: SPAN_2,
        parentIsRemote: true,
        runIds: [RUN],
        startTimeUnixNano: '1795990226577137001',
        statusCode: 2,
      },
    ]);
    expect(rejected).toEqual([]);
    expect(deviations).toEqual([]);
  });

  it.each(['{}', '{"resourceSpans":null}', '{"resourceSpans":[]}', '{"resourceSpans":[{}]}'])(
    'finds nothing in %s',
    (text) => {
      expect(read(text)).toEqual({ spans: [], rejected: [], deviations: [] });
    },
  );

  it('files ids of any case under their lower case', () => {
    const text = exportOf(span({ traceId: TRACE_A.toUpperCase(), spanId: 'ABCDEFABCDEFABCD' }));

    expect(read(text).spans).toMatchObject([{ traceId: TRACE_A, spanId: 'abcdefabcdefabcd' }]);
  });

  it('counts spans that cannot be filed and keeps the others', () => {
    const { spans, rejected } = read(
      exportOf(
        span({ traceId: '0'.repeat(32) }),
        span({ traceId: 'cb55' }),
        span({ traceId: '0000' }),
        span({ spanId: '' }),
        { ...span(), spanId: 7 },
        { ...span(), traceId: null },
        span(),
      ),
    );

    expect(spans).toHaveLength(1);
    const path = (n: number) => `$.resourceSpans[0].scopeSpans[0].spans[${n}]`;
    expect(rejected).toEqual([
      { rule: 'trace_id_missing', count: 2, path: path(0) },
      { rule: 'trace_id_unreadable', count: 2, path: path(1) },
      { rule: 'span_id_missing', count: 1, path: path(3) },
      { rule: 'span_id_unreadable', count: 1, path: path(4) },
    ]);
  });

  it('tolerates snake case and names it', () => {
    const text = `{"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"${TRACE_A}","span_id":"${SPAN_1}",
      "parent_span_id":"${SPAN_2}","start_time_unix_nano":12345678901234567890,
      "attributes":[{"key":"lineage.run_id","value":{"string_value":"${RUN}"}}]}]}]}]}`;

    const { spans, deviations } = read(text);

    expect(spans).toMatchObject([
      { parentSpanId: SPAN_2, runIds: [RUN], startTimeUnixNano: '12345678901234567890' },
    ]);
    expect(deviations).toEqual(['snake_case_names']);
  });

  it.each([
    [5, 2, []],
    [
      'SPAN_KIND_CONSUMER',
      'STATUS_CODE_ERROR',
      ['kind_is_no_enum_value', 'status_code_is_no_enum_value'],
    ],
  ])('reads enums as integers and as names, which it names: %s', (kind, code, expected) => {
    const { spans, deviations } = read(exportOf(span({ kind, status: { code } })));

    expect(spans).toMatchObject([{ kind: 5, statusCode: 2 }]);
    expect(deviations).toEqual(expected);
  });

  it('names an enum value that OTLP does not have', () => {
    const { spans, deviations } = read(exportOf(span({ kind: 17, status: { code: '2' } })));

    expect(spans[0]).not.toHaveProperty('kind');
    expect(deviations).toEqual(['kind_is_no_enum_value', 'status_code_is_no_enum_value']);
  });

  it('reads several runs of one span, each once, from several attributes and from arrays', () => {
    const values = { arrayValue: { values: [{ stringValue: 'second' }, { stringValue: RUN }] } };
    const text = exportOf(
      span({ runIds: [RUN], attributes: [{ key: 'lineage.run_id', value: values }] }),
    );

    expect(read(text).spans[0]?.runIds).toEqual([RUN, 'second']);
  });

  it('names run ids that cannot be filed', () => {
    const text = exportOf(span({ runIds: ['', 'x'.repeat(1_025)] }));

    expect(read(text)).toMatchObject({ spans: [{ runIds: [] }], deviations: ['run_id_unusable'] });
  });

  it.each([
    ['{"resourceSpans":{}}', 'required_array', '$.resourceSpans'],
    ['{"resourceSpans":[7]}', 'required_object', '$.resourceSpans[0]'],
    [
      '{"resourceSpans":[{"scopeSpans":[{"spans":"x"}]}]}',
      'required_array',
      '$.resourceSpans[0].scopeSpans[0].spans',
    ],
    ['{"foo":1}', 'no_known_container', '$'],
    ['{"ResourceSpans":[],"resourceSpans":[]}', 'no_known_container', '$'],
    ['{"resourceSpans":[{"resource":{},"foo":[]}]}', 'no_known_container', '$.resourceSpans[0]'],
    [
      '{"resourceSpans":[{"scopeSpans":[{"scope":{},"schemaUrl":"","Spans":[]}]}]}',
      'no_known_container',
      '$.resourceSpans[0].scopeSpans[0]',
    ],
  ])('counts a container that cannot be read once: %s', (text, rule, path) => {
    expect(read(text)).toEqual({ spans: [], rejected: [{ rule, count: 1, path }], deviations: [] });
  });

  it('files what stands beside a container that cannot be read', () => {
    const good = JSON.parse(exportOf(span())).resourceSpans[0];
    const odd = { scopeSpans: [{ spans: {} }, 7, ...good.scopeSpans, { foo: 1 }] };
    const { spans, rejected } = read(JSON.stringify({ resourceSpans: [odd, null, good] }));

    expect(spans).toHaveLength(2);
    expect(rejected).toMatchObject([
      { rule: 'required_array', count: 1 },
      { rule: 'required_object', count: 2 },
      { rule: 'no_known_container', count: 1 },
    ]);
  });

  it.each([
    ['an export', '{"resourceSpans"'],
    ['a resource', '{"resource"'],
    ['a scope', '{"scope"'],
  ])('names a member that OTLP does not know in %s with spans', (_what, start) => {
    const text = exportOf(span()).replace(start, start.replace('{', '{"x":1,'));
    expect(read(text)).toMatchObject({
      spans: [{}],
      rejected: [],
      deviations: ['unknown_container_members'],
    });
  });

  const violation = (rule: string, path: string) =>
    expect.objectContaining({ violations: [{ rule, path }] });

  it('refuses what is no object', () => {
    expect(() => read('[]')).toThrow(violation('export_is_not_an_object', '$'));
  });

  const SPAN = JSON.stringify(span());
  const SCOPES = `[{"spans":[${SPAN}]}]`;
  const RESOURCES = `[{"scopeSpans":${SCOPES}}]`;
  const SCOPE_PLACE = '$.resourceSpans[0].scopeSpans[0]';
  it.each([
    [`{"resourceSpans":${RESOURCES},"resourceSpans":[]}`, '$.resourceSpans'],
    [`{"resource_spans":${RESOURCES},"resourceSpans":null}`, '$.resourceSpans'],
    [`{"resource_spans":[],"resource_spans":${RESOURCES}}`, '$.resourceSpans'],
    [`{"resourceSpans":[],"resource\\u0053pans":${RESOURCES}}`, '$.resourceSpans'],
    [
      `{"resourceSpans":[{"scopeSpans":${SCOPES},"scope_spans":[]}]}`,
      '$.resourceSpans[0].scopeSpans',
    ],
    [
      `{"resourceSpans":[{"scopeSpans":[{"spans":[${SPAN}],"spans":[${SPAN}]}]}]}`,
      `${SCOPE_PLACE}.spans`,
    ],
  ])('refuses a container that is there twice: %s', (text, path) => {
    expect(() => read(text)).toThrow(violation('duplicate_member', path));
  });

  it.each(['traceId', 'trace_id', 'spanId', 'span_id', 'span\\u0049d'])(
    'rejects a span that has %s once more',
    (name) => {
      const twice = SPAN.replace('{', `{"${name}":null,`);
      const { spans, rejected } = read(
        `{"resourceSpans":[{"scopeSpans":[{"spans":[${twice},${SPAN}]}]}]}`,
      );
      expect(spans).toHaveLength(1);
      expect(rejected).toEqual([
        { rule: 'duplicate_id', count: 1, path: `${SCOPE_PLACE}.spans[0]` },
      ]);
    },
  );

  it.each(['instrumentationLibrarySpans', 'instrumentation_library_spans'])(
    'refuses %s by name, also beside spans that can be filed',
    (name) => {
      const withOld = (value: string) =>
        `{"resourceSpans":[{"scopeSpans":${SCOPES},"${name}":${value}}]}`;
      expect(() => read(withOld(SCOPES))).toThrow(
        violation(
          'instrumentation_library_spans',
          '$.resourceSpans[0].instrumentationLibrarySpans',
        ),
      );
      const hidden = `${SCOPES},"instrumentationLibrarySpans":null`;
      expect(() => read(withOld(hidden))).toThrow(InvalidEventError);
      for (const nothing of ['[]', '[ ]', 'null'])
        expect(read(withOld(nothing)).spans).toHaveLength(1);
    },
  );
});
