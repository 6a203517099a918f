import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import {
  ExportTraceServiceRequestSchema,
  ResourceSpansSchema,
  ScopeSpansSchema,
  SpanSchema,
} from '../../../lambdas/domain/protobuf/otlp-traces_pb.ts';
import { CANARY } from './canary.ts';

/** A body before any transport encoding. */
export interface Body {
  readonly bytes: Buffer;
  /** Media type the body would honestly be sent with. */
  readonly contentType: string;
  /** The events or spans in it, where the body is whole and each of them can be filed. */
  readonly whole?: readonly string[];
}

const JSON_TYPE = 'application/json';
export const PROTOBUF_TYPE = 'application/x-protobuf';

/** JSON values, spelled in every way that has troubled a parser or a store. */
const LEAVES = [
  ...['null', 'true', 'false', '0', '-0', '1.50e2', '9007199254740993', '1e400', '-1E-400'],
  ...['NaN', 'Infinity', '-Infinity', '9'.repeat(400), `0.${'3'.repeat(60)}`, '{}', '[]', '[[]]'],
  ...['""', `"${CANARY}"`, `"${CANARY}\\n"`, '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"'],
  ...['"\u2028"', '"\u{1F600}"', '"\\/\\b\\f\\t\\""', `"${'\\\\'.repeat(50)}"`, '"__proto__"'],
  ...['"START"', '"2026-02-30T00:00:00Z"', '"2026-11-29T10:00:00"', `"${'x'.repeat(1_100)}"`],
  ...['"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"', '"/RunEvent"'],
  ...['{"namespace":"","name":""}', '{"namespace":"n","name":"x"}', '{"runId":"r"}'],
  ...['"0af7651916cd43dd8448eb211c80319c"', '"B7AD6B7169203331"', '"0000000000000000"'],
];

/** Invalid as values; a body with one of them is refused as a whole or in its item. */
const BROKEN = [
  '',
  '01',
  '+1',
  '.5',
  '1.',
  "'a'",
  '"\\x"',
  '"\\u12"',
  '"\t"',
  'nul',
  '{,}',
  '[1,]',
];

const KEYS = [
  ...['run', 'runId', 'job', 'dataset', 'namespace', 'name', 'facets', 'eventType', 'eventTime'],
  ...['schemaURL', 'producer', 'inputs', 'outputs', '_deleted', 'nominalTime', '', ' ', CANARY],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '\\u0072un',
    'r\\u0075n',
  ],
  ...['resourceSpans', 'scopeSpans', 'spans', 'traceId', 'spanId', 'attributes', 'status', 'flags'],
  ...['\\u005f_proto__', 'trace_id', 'resource_spans', '\\ud800', 'k'.repeat(300)],
];

const space = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t');
const key = fc.constantFrom(...KEYS).map((name) => `"${name}"`);

function objectOf(members: readonly string[], gap = ''): string {
  return `{${members.join(`${gap},`)}${gap}}`;
}

/** Any JSON text, with duplicate and odd keys; now and then a broken one. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 30, arbitrary: fc.constantFrom(...LEAVES) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
    {
      weight: 12,
      arbitrary: fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4 })
        .map((members) => objectOf(members.map(([name, inner]) => `${name}:${inner}`))),
    },
    {
      weight: 6,
      arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    },
  ),
}));

/** Members of which any event is whole, whatever else is in it. */
const FILED_BY = [
  '"run":{"runId":"0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"},"job":{"namespace":"n","name":"j"}',
  `"job":{"name":"${CANARY}","namespace":""},"run":{"runId":"${CANARY}","__proto__":{"runId":7}}`,
  '"run" : {"facets":{},"runId":"a","runId":"b"} , "job":{"namespace":"n","name":"\\ud800"}',
  '"job":{"namespace":"n","name":"declared","facets":{"constructor":{}}}',
  `"dataset":{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"sql":{"query":"select '${CANARY}'"}}}`,
];
const OTHER_MEMBERS = [
  '"eventType":"START"',
  '"eventType":"start"',
  '"eventTime":"2026-11-29T10:00:00.123456789Z"',
  '"eventTime":"yesterday"',
  `"producer":"https://${CANARY}"`,
  '"schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"',
  '"schemaURL":"#/definitions/RunEvent"',
  '"schemaURL":7',
  `"__proto__":{"polluted":"${CANARY}"}`,
  '"constructor":{"prototype":{"polluted":1}}',
  '"nan":NaN,"big":123456789012345678901234567890',
  '"x":"\\ud800\\u0000"',
];

/** An event that the store takes, with its own number so that no two are alike. */
const wholeEvent = fc
  .tuple(fc.constantFrom(...FILED_BY), fc.subarray(OTHER_MEMBERS), fc.nat(1e9), space)
  .map(([filedBy, others, n, gap]) => objectOf([...others, filedBy, `"n":${n}`], gap));

/** An event whose members are anything. */
const oddEvent = fc
  .tuple(fc.constantFrom(...FILED_BY, '"x":0'), fc.array(fc.tuple(key, value), { maxLength: 4 }))
  .map(([filedBy, members]) =>
    objectOf([filedBy, ...members.map(([name, inner]) => `${name}:${inner}`)]),
  );

const edits = fc.array(
  fc.tuple(
    fc.nat(2_000),
    fc.constantFrom('replace', 'insert', 'remove', 'repeat', 'cut'),
    fc.nat(255),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Hits bytes anywhere: quotes and braces, halves of characters, and what a length stood for. */
function mutated(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc.tuple(bytes, edits).map(([whole, hits]) => {
    let current = whole;
    for (const [where, how, byte] of hits) {
      const at = where % (current.length + 1);
      const [before, after] = [current.subarray(0, at), current.subarray(at)];
      if (how === 'cut') current = before;
      else if (how === 'remove') current = Buffer.concat([before, after.subarray(1 + (byte % 8))]);
      else if (how === 'repeat') current = Buffer.concat([before, after.subarray(0, byte), after]);
      else {
        const rest = how === 'replace' ? after.subarray(1) : after;
        current = Buffer.concat([before, Buffer.of(byte), rest]);
      }
    }
    return current;
  });
}

const nest = (open: string, close: string, levels: number, inner = '') =>
  open.repeat(levels) + inner + close.repeat(levels);

/** Small enough for ten thousand of them; the large ones stand in linear-time.test.ts. */
const NASTY = [
  ...['', ' ', '\u0000', '\uFEFF', '\uFEFF{}', '{', '[', '"', '\\', '}', 'null', '7', '""', '[]'],
  ...['{}', '[{}]', '[[]]', '{}{}', '{}\n{}', '\n\n', '/*x*/{}', '# x', CANARY, `"${CANARY}`],
  nest('[', ']', 500),
  nest('[', ']', 501),
  nest('{"run":', '}', 499, '{}'),
  nest('{"run":', '}', 600, CANARY),
  '['.repeat(5_000),
  `{${'"run":{"runId":"a"},'.repeat(200)}"job":{"namespace":"n","name":"n"}}`,
  `{"${'\\u005f'.repeat(500)}":0}`,
  `{"job":{"namespace":"n","name":"${'\\ud83d\\ude00'.repeat(300)}"}}`,
  `{"${'__proto__'}":{"job":{"namespace":"n","name":"n"}}}`,
  `${'7\n'.repeat(1_001)}`,
  `[${'0,'.repeat(1_000)}0]`,
  // Does not compress into what the stream takes.
  `{"job":{"namespace":"n","name":"n"},"x":"${Array.from({ length: 700 }, (_, n) => Math.imul(n + 1, 2_654_435_761) >>> 0).join()}"}`,
];

const text = (arbitrary: fc.Arbitrary<string>) => arbitrary.map((whole) => Buffer.from(whole));
const bytesOf = (arbitrary: fc.Arbitrary<Buffer>, contentType = JSON_TYPE): fc.Arbitrary<Body> =>
  arbitrary.map((bytes) => ({ bytes, contentType }));

/** Bodies that are no event, or hardly one; whole ones are hit byte by byte. */
export function oddBodies(whole: fc.Arbitrary<Body>, contentType = JSON_TYPE): fc.Arbitrary<Body> {
  return fc.oneof(
    { weight: 6, arbitrary: bytesOf(text(oddEvent)) },
    { weight: 6, arbitrary: bytesOf(mutated(whole.map(({ bytes }) => bytes)), contentType) },
    { weight: 3, arbitrary: bytesOf(text(value)) },
    { weight: 2, arbitrary: bytesOf(text(fc.constantFrom(...NASTY))) },
    {
      weight: 1,
      arbitrary: bytesOf(fc.uint8Array({ maxLength: 64 }).map((raw) => Buffer.from(raw))),
    },
  );
}

/** One event alone. */
export const eventBody: fc.Arbitrary<Body> = wholeEvent.map((event) => ({
  bytes: Buffer.from(event),
  contentType: JSON_TYPE,
  whole: [event],
}));

/** An array of events, or one event a line. */
export const batchBody: fc.Arbitrary<Body> = fc
  .tuple(fc.array(wholeEvent, { minLength: 1, maxLength: 4 }), fc.boolean(), space)
  .map(([events, isArray, gap]) => {
    // A break within an event would make two lines of it.
    const whole = isArray ? events : events.map((event) => event.replaceAll(/[\r\n]/g, ' '));
    const joined = isArray ? `${gap}[${whole.join(`,${gap}`)}]` : whole.join('\n');
    return { bytes: Buffer.from(joined), contentType: JSON_TYPE, whole };
  });

/** Events among items that are none: each is judged alone. */
export const mixedBatchBody: fc.Arbitrary<Body> = fc
  .array(fc.oneof(wholeEvent, oddEvent, value), { maxLength: 4 })
  .map((items) => ({ bytes: Buffer.from(`[${items.join()}]`), contentType: JSON_TYPE }));

const SPAN_MEMBERS = [
  '"name":"mcp.execute_sql","kind":2',
  '"kind":"SPAN_KIND_SERVER"',
  '"startTimeUnixNano":"1795860000000000000"',
  '"start_time_unix_nano":1795860000000000001',
  '"flags":257',
  `"status":{"code":"STATUS_CODE_ERROR","message":"${CANARY}"}`,
  '"parentSpanId":""',
  `"attributes":[{"key":"lineage.run_id","value":{"stringValue":"${CANARY}"}}]`,
  '"attributes":[{"key":"__proto__","value":{"intValue":"9007199254740993"}}]',
  `"__proto__":{"polluted":"${CANARY}"}`,
  '"unknown":{"nan":NaN}',
];
const hex = (n: number, digits: number) => (n + 1).toString(16).padStart(digits, '0');

const wholeSpan = fc
  .tuple(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.boolean(), fc.subarray(SPAN_MEMBERS))
  .map(([trace, id, upper, members]) => {
    const traceId = hex(trace, 8).repeat(4).slice(0, 32);
    const ids = [
      `"traceId":"${upper ? traceId.toUpperCase() : traceId}"`,
      `"spanId":"${hex(id, 16)}"`,
    ];
    return objectOf([...ids, ...members]);
  });

const exportOf = (spans: readonly string[], snake: boolean) => {
  const [resourceSpans, scopeSpans] = snake
    ? ['resource_spans', 'scope_spans']
    : ['resourceSpans', 'scopeSpans'];
  return `{"${resourceSpans}":[{"resource":{},"${scopeSpans}":[{"spans":[${spans.join()}]}]}]}`;
};

/** An OTLP/JSON export. */
export const exportBody: fc.Arbitrary<Body> = fc
  .tuple(fc.array(wholeSpan, { maxLength: 4 }), fc.boolean())
  .map(([spans, snake]) => ({
    bytes: Buffer.from(exportOf(spans, snake)),
    contentType: JSON_TYPE,
    whole: spans,
  }));

/** An export in protobuf; it is stored as JSON, so none of its bytes are looked for afterwards. */
export const protobufBody: fc.Arbitrary<Body> = fc
  .array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)), { maxLength: 4 })
  .map((ids) => {
    const spans = ids.map(([trace, id]) =>
      create(SpanSchema, {
        traceId: Buffer.from(hex(trace, 8).repeat(4).slice(0, 32), 'hex'),
        spanId: Buffer.from(hex(id, 16), 'hex'),
        name: CANARY,
      }),
    );
    const resourceSpans = [
      create(ResourceSpansSchema, { scopeSpans: [create(ScopeSpansSchema, { spans })] }),
    ];
    const message = create(ExportTraceServiceRequestSchema, { resourceSpans });
    return {
      bytes: Buffer.from(toBinary(ExportTraceServiceRequestSchema, message)),
      contentType: PROTOBUF_TYPE,
    };
  });

/** Spans among items that are none. */
export const mixedExportBody: fc.Arbitrary<Body> = fc
  .tuple(fc.array(fc.oneof(wholeSpan, value), { maxLength: 4 }), fc.boolean())
  .map(([spans, snake]) => ({
    bytes: Buffer.from(exportOf(spans, snake)),
    contentType: JSON_TYPE,
  }));
