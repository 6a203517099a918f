import { deflateSync, gzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { decodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { ExportTraceServiceResponseSchema } from '../../../lambdas/domain/protobuf/otlp-traces_pb.ts';
import { StatusSchema } from '../../../lambdas/domain/protobuf/rpc-status_pb.ts';
import { createHandler } from '../../../lambdas/ingest-traces/handler.ts';
import { NOW } from '../../support/builders.ts';
import { SingleEpochKey } from '../../support/fakes/keys.ts';
import { InMemoryStream } from '../../support/fakes/streams.ts';
import { binary, CONTEXT, metering, producersWith, request } from '../../support/http.ts';
import { protobufExport } from '../../support/otlp-bytes.ts';

const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/x-protobuf';
const TRACE_ID = 'a1'.repeat(16);
const SPAN_ID = 'b2'.repeat(8);

const jsonExport = (...spans: object[]) =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          { spans: spans.map((span) => ({ traceId: TRACE_ID, spanId: SPAN_ID, ...span })) },
        ],
      },
    ],
  });

function ingest() {
  const stream = new InMemoryStream();
  const { lines, dependencies } = metering();
  const handler = createHandler({
    publisher: stream,
    registry: producersWith(),
    epochKeys: new SingleEpochKey(),
    maxRecordBytes: 1_000_000,
    clock: () => NOW,
    ...dependencies,
  });
  const post = async (
    contentType: string | undefined,
    body: string | Uint8Array,
    headers: Record<string, string> = {},
    overrides: Parameters<typeof request>[0] = {},
  ) => {
    const type: Record<string, string> = contentType ? { 'content-type': contentType } : {};
    const event = request({
      resource: '/v1/traces',
      path: '/v1/traces',
      ...binary(Buffer.from(body), { ...type, ...headers }),
      ...overrides,
    });
    const answer = await handler(event, CONTEXT);
    const bytes = Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8');
    return { status: answer.statusCode, type: answer.headers?.['content-type'], bytes, ...answer };
  };
  const stored = () =>
    stream.records.map(({ data }) => {
      const { head, body } = decodeStreamRecord(data);
      return { head, text: Buffer.from(body).toString() };
    });
  return { post, stored, stream, lines };
}

// Reference: the collector's own receiver, but for 413, for a gzip body without the header, and for
// spans without an id, which are counted.
describe('JSON that the collector takes', () => {
  it.each([
    ['an empty object', '{}', JSON_TYPE, 0],
    ['a charset parameter', '{}', 'Application/JSON; charset=UTF-8', 0],
    ['no resource spans', '{"resourceSpans":null}', JSON_TYPE, 0],
    ['upper-case ids', jsonExport({ traceId: TRACE_ID.toUpperCase() }), JSON_TYPE, 1],
    ['members nobody knows', jsonExport({ x: { y: [] } }), JSON_TYPE, 1],
    [
      'enums by name',
      jsonExport({ kind: 'SPAN_KIND_SERVER', status: { code: 'STATUS_CODE_OK' } }),
      JSON_TYPE,
      1,
    ],
    ['times as numbers', jsonExport({ startTimeUnixNano: 1_795_990_226_577_137 }), JSON_TYPE, 1],
    ['times as strings', jsonExport({ startTimeUnixNano: '1795990226577137001' }), JSON_TYPE, 1],
    ['snake_case', jsonExport({ parent_span_id: SPAN_ID }), JSON_TYPE, 1],
  ])('%s', async (_what, body, type, records) => {
    const { post, stored } = ingest();
    const answer = await post(type, body);
    expect([answer.status, answer.type, answer.bytes.toString()]).toEqual([
      200,
      JSON_TYPE,
      '{"partialSuccess":{}}',
    ]);
    expect(stored()).toHaveLength(records);
  });
});

describe('requests that are refused', () => {
  const short = { traceId: 'cb55' };
  const base64 = { traceId: Buffer.from(TRACE_ID, 'hex').toString('base64') };
  it.each<
    [string, string | undefined, string | Uint8Array, Record<string, string>, number, number]
  >([
    ['no JSON at all', JSON_TYPE, '', {}, 400, 3],
    ['bad JSON', JSON_TYPE, '{', {}, 400, 3],
    ['an array', JSON_TYPE, '[]', {}, 400, 3],
    ['a short trace id', JSON_TYPE, jsonExport(short), {}, 400, 3],
    ['a base64 trace id', JSON_TYPE, jsonExport(base64), {}, 400, 3],
    ['a short span id', JSON_TYPE, jsonExport({ spanId: 'b2' }), {}, 400, 3],
    ['only malformed and missing ids', JSON_TYPE, jsonExport(short, { traceId: '' }), {}, 400, 3],
    ['an OpenLineage event', JSON_TYPE, '{"eventType":"START","run":{},"job":{}}', {}, 400, 3],
    [
      'containers there twice',
      JSON_TYPE,
      `${jsonExport({}).slice(0, -1)},"resourceSpans":[]}`,
      {},
      400,
      3,
    ],
    [
      'spans as before OTLP 0.15',
      JSON_TYPE,
      jsonExport({}).replace('scopeSpans', 'instrumentationLibrarySpans'),
      {},
      400,
      3,
    ],
    ['protobuf of something else', PROTOBUF_TYPE, Uint8Array.of(0x12, 1, 0x61), {}, 400, 3],
    ['bad protobuf', PROTOBUF_TYPE, '{}', {}, 400, 3],
    [
      'a short trace id in protobuf',
      PROTOBUF_TYPE,
      protobufExport({ traceId: 'cb55', spanId: SPAN_ID }),
      {},
      400,
      3,
    ],
    ['text', 'text/plain', '{}', {}, 415, 3],
    ['no content type', undefined, '{}', {}, 415, 3],
    ['gzip that is none', JSON_TYPE, '{}', { 'content-encoding': 'gzip' }, 400, 3],
    ['deflate that is none', PROTOBUF_TYPE, '', { 'content-encoding': 'deflate' }, 400, 3],
    ['damaged gzip', PROTOBUF_TYPE, gzipSync('{}').subarray(0, 15), {}, 400, 3],
    ['an unknown coding', JSON_TYPE, '{}', { 'content-encoding': 'zstd' }, 400, 3],
    ['identity', JSON_TYPE, '{}', { 'content-encoding': 'identity' }, 400, 3],
    ['too much on the wire', PROTOBUF_TYPE, Buffer.alloc(4_500_001), {}, 413, 11],
    ['too much, inflated', PROTOBUF_TYPE, gzipSync(Buffer.alloc(6_000_001)), {}, 413, 11],
    ['no key', PROTOBUF_TYPE, '', { Authorization: 'none' }, 401, 16],
  ])('%s', async (_what, type, body, headers, status, code) => {
    const { post, stored } = ingest();
    const answer = await post(type, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty('retry-after');
    const isProtobuf = type === PROTOBUF_TYPE;
    expect(answer.type).toBe(isProtobuf ? PROTOBUF_TYPE : JSON_TYPE);
    const refusal = isProtobuf
      ? fromBinary(StatusSchema, answer.bytes)
      : JSON.parse(answer.bytes.toString());
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(/\w{3}/) });
    expect(stored()).toEqual([]);
  });

  it('other methods, with the one that is taken', async () => {
    for (const httpMethod of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
      const { status, headers } = await ingest().post(JSON_TYPE, '', {}, { httpMethod });
      expect([status, headers?.allow]).toEqual([405, 'POST']);
    }
  });

  it('a trailing slash', async () => {
    const answer = await ingest().post(JSON_TYPE, '{}', {}, { path: '/v1/traces/' });
    expect(answer.status).toBe(404);
  });
});

describe('compression', () => {
  const bytes = protobufExport({ traceId: TRACE_ID, spanId: SPAN_ID });
  it.each<[string, Uint8Array, Record<string, string>]>([
    ['none', bytes, {}],
    ['gzip', gzipSync(bytes), { 'Content-Encoding': 'GZIP' }],
    ['gzip without the header', gzipSync(bytes), {}],
    [
      'several gzip members',
      Buffer.concat([gzipSync(bytes.subarray(0, 9)), gzipSync(bytes.subarray(9))]),
      { 'Content-Encoding': 'gzip' },
    ],
    ['deflate', deflateSync(bytes), { 'Content-Encoding': 'deflate' }],
  ])('%s is undone', async (_what, body, headers) => {
    const { post, stored } = ingest();
    expect((await post(PROTOBUF_TYPE, body, headers)).status).toBe(200);
    expect(stored().map(({ text }) => text)).toEqual([
      `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${TRACE_ID}","spanId":"${SPAN_ID}"}]}]}]}`,
    ]);
  });
});

describe('an export in protobuf', () => {
  it('without a span is a success of two bytes', async () => {
    const { status, type, bytes } = await ingest().post(PROTOBUF_TYPE, '');
    expect([status, type, [...bytes]]).toEqual([200, PROTOBUF_TYPE, [0x0a, 0]]);
  });

  it('says in the envelope that it was one', async () => {
    const { post, stored } = ingest();
    await post(PROTOBUF_TYPE, protobufExport({ traceId: TRACE_ID, spanId: SPAN_ID }));
    expect(stored()[0]?.head.deviations).toEqual(['sent_as_protobuf']);
  });

  it('says 503 in protobuf too, with Retry-After, when the stream is down', async () => {
    const { post, stream } = ingest();
    stream.faults.refuse('publish');
    const answer = await post(
      PROTOBUF_TYPE,
      protobufExport({ traceId: TRACE_ID, spanId: SPAN_ID }),
    );
    expect([answer.status, answer.type, answer.headers?.['retry-after']]).toEqual([
      503,
      PROTOBUF_TYPE,
      '2',
    ]);
    expect(fromBinary(StatusSchema, answer.bytes).code).toBe(14);
  });

  it('that is damaged is not quoted, neither in the answer nor in the log', async () => {
    const { post, lines } = ingest();
    const bytes = protobufExport({ traceId: TRACE_ID, spanId: SPAN_ID, name: 'canary-7f3e9d01' });
    const wrongText = Buffer.from(bytes).fill(0xff, bytes.length - 1);
    for (const damaged of [bytes.subarray(0, -1), wrongText]) {
      const answer = await post(PROTOBUF_TYPE, damaged);
      expect(answer.status).toBe(400);
      expect(answer.bytes.toString()).not.toContain('canary');
    }
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('sent again is the same bytes, so that it is recognised', async () => {
    const { post, stored } = ingest();
    const bytes = protobufExport({ traceId: TRACE_ID, spanId: SPAN_ID });
    await post(PROTOBUF_TYPE, bytes);
    await post(PROTOBUF_TYPE, gzipSync(bytes));
    const [first, second] = stored();
    expect(second?.text).toBe(first?.text);
    expect(second?.head.received.hmac).toBe(first?.head.received.hmac);
  });

  it('is cut by trace like JSON, and refused like JSON where it would explode', async () => {
    const { post, stored } = ingest();
    const traces = (count: number, schemaUrl = '') =>
      protobufExport(
        ...Array.from({ length: count }, (_, n) => ({
          traceId: (n + 1).toString(16).padStart(8, '0').repeat(4),
          spanId: SPAN_ID,
          schemaUrl,
        })),
      );
    await post(PROTOBUF_TYPE, traces(3));
    expect(stored()).toHaveLength(1);
    const wide = await post(PROTOBUF_TYPE, traces(400, 'x'.repeat(100_000)));
    expect(wide.status).toBe(413);
  });
});

describe('spans that cannot be filed', () => {
  const missing = { traceId: '0'.repeat(32) };
  it.each([
    ['an all-zero trace id alone', [missing], 0, 'trace_id_missing: 1'],
    ['no ids at all', [{ traceId: undefined, spanId: undefined }], 0, 'trace_id_missing: 1'],
    ['an empty span id', [{ spanId: '' }], 0, 'span_id_missing: 1'],
    ['a short id beside a good span', [{}, { traceId: 'cb55' }], 1, 'trace_id_unreadable: 1'],
  ])('%s: counted', async (_what, spans, records, errorMessage) => {
    const { post, stored } = ingest();
    const { status, bytes } = await post(JSON_TYPE, jsonExport(...spans));
    expect([status, JSON.parse(bytes.toString())]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: '1', errorMessage } },
    ]);
    expect(stored()).toHaveLength(records);
  });

  it('are counted by container where that cannot be read, in JSON and in protobuf', async () => {
    const { post, stored } = ingest();
    const json = jsonExport({}).replace('[{', '[{"scopeSpans":[{"spans":{}}]},{');
    const good = protobufExport({ traceId: TRACE_ID, spanId: SPAN_ID });
    const protobuf = Buffer.concat([good, Uint8Array.of(0x0a, 3, 0x22, 1, 0x61)]);

    const { status, bytes } = await post(JSON_TYPE, json);
    expect([status, JSON.parse(`${bytes}`)]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: '1', errorMessage: 'required_array: 1' } },
    ]);
    const answer = await post(PROTOBUF_TYPE, protobuf);
    expect(fromBinary(ExportTraceServiceResponseSchema, answer.bytes)).toMatchObject({
      partialSuccess: { rejectedSpans: 1n, errorMessage: 'no_known_container: 1' },
    });
    expect(stored()).toHaveLength(2);
  });

  it('name keys that are there twice in the envelope', async () => {
    const { post, stored } = ingest();
    await post(JSON_TYPE, jsonExport({}).replace('{"traceId"', '{"name":"a","name":"b","traceId"'));
    expect(stored()[0]?.head.deviations).toEqual(['duplicate_keys']);
  });

  it('are counted in protobuf too', async () => {
    const { post, stored } = ingest();
    const good = { traceId: TRACE_ID, spanId: SPAN_ID };
    const answer = await post(
      PROTOBUF_TYPE,
      protobufExport(good, { ...good, traceId: 'cb55' }, { ...good, ...missing }),
    );
    expect([answer.status, answer.type]).toEqual([200, PROTOBUF_TYPE]);
    expect(fromBinary(ExportTraceServiceResponseSchema, answer.bytes)).toMatchObject({
      partialSuccess: {
        rejectedSpans: 2n,
        errorMessage: 'trace_id_unreadable: 1, trace_id_missing: 1',
      },
    });
    expect(stored()).toHaveLength(1);
  });
});
