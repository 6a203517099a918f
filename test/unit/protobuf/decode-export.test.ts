import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeExport } from '../../../lambdas/domain/protobuf/decode-export.ts';
import { encodeResponse } from '../../../lambdas/domain/protobuf/encode-answer.ts';
import { MAX_ITEMS } from '../../../lambdas/domain/traces/departures.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { type Decoded, type Oracle, tsProtoOracle } from '../../support/otlp-codec.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const START: HrTime = [1_795_990_226, 577_137_001];
const context = { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: TraceFlags.SAMPLED };

function sdkSpan(overrides: Partial<ReadableSpan> = {}): ReadableSpan {
  return {
    name: 'mcp.execute_sql',
    kind: SpanKind.SERVER,
    spanContext: () => context,
    startTime: START,
    endTime: [START[0], START[1] + 1],
    status: { code: SpanStatusCode.ERROR, message: 'no such "table" \u2028 \u0001' },
    attributes: {},
    links: [],
    events: [],
    duration: [0, 1],
    ended: true,
    resource: resourceFromAttributes({ 'service.name': 'tests', 'service.port': 5432 }),
    instrumentationScope: { name: 'scope', version: '1.2.3' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...overrides,
  };
}

const SPANS = [
  sdkSpan(),
  sdkSpan({
    name: '',
    kind: SpanKind.INTERNAL,
    parentSpanContext: { ...context, spanId: '00f067aa0ba902b7', isRemote: true },
    attributes: {
      text: 'grün 🌱 \uFEFF',
      empty: '',
      yes: true,
      no: false,
      count: 9_007_199_254_740_991,
      negative: -3,
      zero: 0,
      ratio: 0.1,
      list: ['a', 'b'],
      numbers: [1, 2.5],
    },
    events: [{ name: 'exception', time: START, attributes: { 'exception.type': 'E' } }],
    links: [{ context: { ...context, spanId: '53995c3f42cd8ad8' }, attributes: { k: 'v' } }],
    droppedAttributesCount: 7,
  }),
];

/** What protobuf JSON leaves out or spells otherwise: empty lists, zeros, and integers as numbers. */
function normalised(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalised(item));
  if (name === 'intValue') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => {
        if (key === 'key' || key.endsWith('Value')) return true;
        return Array.isArray(member) ? member.length > 0 : Boolean(member);
      })
      .map(([key, member]) => [key, normalised(member, key)]),
  );
}

const serialised = (spans: ReadableSpan[]) =>
  ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array;

describe('an export of the OpenTelemetry SDK', () => {
  it('becomes what the SDK itself would have sent as JSON', () => {
    const json = JSON.parse(
      Buffer.from(JsonTraceSerializer.serializeRequest(SPANS) ?? '').toString(),
    );
    const { text, deviations } = decodeExport(serialised(SPANS));
    expect(JSON.parse(text)).toEqual(normalised(json));
    expect(deviations).toEqual(['sent_as_protobuf']);
  });

  it('becomes the same text every time', () => {
    expect(decodeExport(serialised(SPANS)).text).toBe(decodeExport(serialised(SPANS)).text);
  });

  it('without a byte is an empty export', () => {
    expect(decodeExport(new Uint8Array())).toMatchObject({ text: '{}' });
  });
});

describe('the mapping to OTLP/JSON', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await tsProtoOracle();
  });
  const textOf = (message: Decoded) => decodeExport(oracle.encode(message).finish()).text;
  const resourceSpans = (resource: object, spans: readonly object[] = []) => ({
    resourceSpans: [
      {
        resource: resource,
        scopeSpans: [{ scope: undefined, spans, schemaUrl: '' }],
        schemaUrl: '',
      },
    ],
  });
  const textOfValue = (value: object | undefined) => {
    const resource = {
      attributes: [{ key: 'k', value }],
      droppedAttributesCount: 0,
      entityRefs: [],
    };
    const text = textOf(resourceSpans(resource));
    const [, found] =
      /"attributes":\[\{"key":"k"(?:,"value":)?(.*?)\}\]\},"scopeSpans"/.exec(text) ?? [];
    return found;
  };

  it.each([
    ['an integer', { intValue: 9_223_372_036_854_775_807n }, '{"intValue":"9223372036854775807"}'],
    ['the least integer', { intValue: -(2n ** 63n) }, '{"intValue":"-9223372036854775808"}'],
    ['zero', { intValue: 0n }, '{"intValue":"0"}'],
    ['false', { boolValue: false }, '{"boolValue":false}'],
    ['an empty string', { stringValue: '' }, '{"stringValue":""}'],
    ['a double', { doubleValue: 1.5 }, '{"doubleValue":1.5}'],
    ['a large double', { doubleValue: 1e300 }, '{"doubleValue":1e+300}'],
    ['minus zero', { doubleValue: -0 }, '{"doubleValue":-0}'],
    ['NaN', { doubleValue: Number.NaN }, '{"doubleValue":"NaN"}'],
    ['infinity', { doubleValue: Number.POSITIVE_INFINITY }, '{"doubleValue":"Infinity"}'],
    ['minus infinity', { doubleValue: Number.NEGATIVE_INFINITY }, '{"doubleValue":"-Infinity"}'],
    ['bytes', { bytesValue: Uint8Array.of(0xfb, 0xff, 0) }, '{"bytesValue":"+/8A"}'],
    ['no bytes', { bytesValue: new Uint8Array() }, '{"bytesValue":""}'],
    ['an empty list', { arrayValue: { values: [] } }, '{"arrayValue":{}}'],
    [
      'a list in a map',
      {
        kvlistValue: {
          values: [{ key: '', value: { arrayValue: { values: [{ intValue: 1n }, {}] } } }],
        },
      },
      '{"kvlistValue":{"values":[{"key":"","value":{"arrayValue":{"values":[{"intValue":"1"},{}]}}}]}}',
    ],
    ['a value without a kind', {}, '{}'],
    ['no value', undefined, ''],
  ])('writes %s', (_what, value, expected) => {
    expect(textOfValue(value)).toBe(expected);
  });

  it('writes ids of any length as lower-case hex, and 64-bit times to the last digit', () => {
    const span = {
      traceId: Uint8Array.of(0xab, 0xcd),
      spanId: new Uint8Array(8),
      traceState: '',
      parentSpanId: new Uint8Array(),
      flags: 0xffff_ffff,
      name: '',
      kind: 17,
      startTimeUnixNano: 2n ** 64n - 1n,
      endTimeUnixNano: 0n,
      attributes: [],
      droppedAttributesCount: 0,
      events: [],
      droppedEventsCount: 0,
      links: [],
      droppedLinksCount: 0,
      status: { message: '', code: 0 },
    };
    const resource = { attributes: [], droppedAttributesCount: 0, entityRefs: [] };
    expect(textOf(resourceSpans(resource, [span]))).toBe(
      '{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"abcd","spanId":"0000000000000000",' +
        '"flags":4294967295,"kind":17,"startTimeUnixNano":"18446744073709551615","status":{}}]}]}]}',
    );
  });
});

/** A length-delimited field. */
function field(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
const nested = (numbers: readonly number[], content: Uint8Array) =>
  numbers.reduceRight((inner, number) => field(number, inner), content);
/** `resourceSpans.resource.attributes.value`, `…scopeSpans.spans`, by field numbers. */
const IN_VALUE = [1, 1, 1, 2];
const IN_SPAN = [1, 2, 2];

const UNKNOWN_FIELD = field(99, Buffer.from('what'));
/** In a scope. */
const SPAN_FIELD = field(2, new Uint8Array());
/** An export with unknown fields in itself, its resource and its scope. */
const eachLevel = (inScope: Uint8Array) => {
  const scope = field(2, Buffer.concat([UNKNOWN_FIELD, inScope]));
  return Buffer.concat([UNKNOWN_FIELD, field(1, Buffer.concat([scope, UNKNOWN_FIELD]))]);
};

describe('protobuf that is refused', () => {
  const lists = (depth: number) =>
    nested([...IN_VALUE, ...Array.from({ length: depth }, () => [5, 1]).flat()], new Uint8Array());
  const rule = (name: string) =>
    expect.objectContaining({ violations: [{ path: '$', rule: name }] });

  it.each([
    ['no protobuf', Buffer.from('{"resourceSpans":[]}'), 'damaged_protobuf'],
    ['cut short', serialised(SPANS).subarray(0, -1), 'damaged_protobuf'],
    ['a name that is no UTF-8', nested([...IN_SPAN, 5], Uint8Array.of(0xc3, 0x28)), 'not_utf8'],
    [
      'a known field of another wire type',
      nested(IN_SPAN, Uint8Array.of(0x28, 2, 0x28, 0)),
      'damaged_protobuf',
    ],
    [
      'a message whose last field reaches beyond it',
      nested([1, 2], Uint8Array.of(0x12, 3, 0x2a, 3, 0x61, 0x61, 0x61)),
      'damaged_protobuf',
    ],
    ['lists in lists without end', lists(10_000), 'too_deep'],
    ['unknown groups in groups without end', Buffer.alloc(100_000, 0x1b), 'damaged_protobuf'],
    [
      'more messages than memory has room for',
      nested([1, 2], Buffer.alloc(2 * MAX_ITEMS, Uint8Array.of(0x12, 0))),
      `more_than_${MAX_ITEMS}_items`,
    ],
    [
      'more strings than memory has room for',
      nested([1, 1, 3], Buffer.alloc(2 * MAX_ITEMS, Uint8Array.of(0x1a, 0))),
      `more_than_${MAX_ITEMS}_items`,
    ],
  ])('%s', (_what, bytes, expected) => {
    expect(() => decodeExport(bytes)).toThrow(rule(expected));
  });

  it('spans in the field of OTLP before 0.15, also beside others', () => {
    const both = Buffer.concat([field(2, field(2, new Uint8Array())), field(1_000, SPAN_FIELD)]);
    expect(() => decodeExport(field(1, both))).toThrow(rule('instrumentation_library_spans'));
  });

  it('takes as many levels as other decoders', () => {
    expect(decodeExport(lists(47)).text).toContain('arrayValue');
  });

  it('is too large when its JSON is, whatever the wire says', () => {
    const controls = field(5, Buffer.alloc(2_000_000, 1));
    expect(() => decodeExport(nested(IN_SPAN, controls))).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
    const wide = field(5, Buffer.from('é'.repeat(2_990_000)));
    expect(decodeExport(nested(IN_SPAN, wide)).text).toHaveLength(2_990_000 + 60);
  });

  it.each([
    ['spans', [1, 2], [0x12, 0]],
    ['a member sent over and over', IN_SPAN, [0x2a, 1, 0x61]],
    ['unknown fields', IN_SPAN, [0xf8, 0x7f, 1]],
  ])('takes time in proportion to its size: %s', (_what, place, item) => {
    const growth = growthOverFourfold(20_000, (count) => {
      const bytes = nested(place, Buffer.alloc(count * item.length, Uint8Array.from(item)));
      return () => decodeExport(bytes);
    });
    expect(growth).toBeLessThan(10);
  });

  it('drops fields that nobody knows, and says so', () => {
    const unknown = Buffer.concat([field(5, Buffer.from('n')), Uint8Array.of(0xa0, 0x06, 1)]);
    const { text, deviations } = decodeExport(nested(IN_SPAN, unknown));
    expect(text).toBe('{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n"}]}]}]}');
    expect(deviations).toEqual(['sent_as_protobuf', 'unknown_fields_dropped']);
  });

  it.each([
    ['an export', UNKNOWN_FIELD, 1],
    ['a resource', field(1, UNKNOWN_FIELD), 1],
    ['a scope', field(1, field(2, UNKNOWN_FIELD)), 1],
    ['each level of one branch', eachLevel(UNKNOWN_FIELD), 1],
    ['two scopes', field(1, Buffer.concat([1, 2].map(() => field(2, UNKNOWN_FIELD)))), 2],
    ['each level around a span', eachLevel(SPAN_FIELD), 0],
    ['a span', nested(IN_SPAN, UNKNOWN_FIELD), 0],
    [
      'a resource beside one with a span',
      Buffer.concat([field(1, field(2, SPAN_FIELD)), field(1, UNKNOWN_FIELD)]),
      1,
    ],
  ])('counts a container with nothing else: unknown fields in %s', (_what, bytes, count) => {
    const rejected = count === 0 ? [] : [{ rule: 'no_known_container', count, path: '$' }];
    expect(decodeExport(bytes)).toMatchObject({
      rejected,
      deviations: ['sent_as_protobuf', 'unknown_fields_dropped'],
    });
  });
});

describe('the answer', () => {
  it('of full success is what the collector sends; exporters warn of members that are set', () => {
    const bytes = encodeResponse({});
    expect([...bytes]).toEqual([0x0a, 0]);
    expect(ProtobufTraceSerializer.deserializeResponse(bytes)).toEqual({ partialSuccess: {} });
  });

  it('of partial success is read by the exporter', () => {
    const bytes = encodeResponse({ rejectedSpans: '3', errorMessage: 'trace_id_missing: 3' });
    expect(ProtobufTraceSerializer.deserializeResponse(bytes)).toMatchObject({
      partialSuccess: { errorMessage: 'trace_id_missing: 3' },
    });
  });
});
