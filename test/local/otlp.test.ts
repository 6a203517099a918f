import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, inject, it } from 'vitest';
import { Span_SpanKind } from '../../lambdas/domain/protobuf/otlp-traces_pb.ts';
import { StatusSchema } from '../../lambdas/domain/protobuf/rpc-status_pb.ts';
import { postRaw } from '../../localstack/post-raw.ts';
import { protobufExport } from '../support/otlp-bytes.ts';
import { StoreClient } from '../support/store-client.ts';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const GZIP = { 'content-encoding': 'gzip' };

const hex = (bytes: number) =>
  randomUUID()
    .replaceAll('-', '')
    .slice(0, 2 * bytes);

/** A governed span with values that only protobuf or only careful JSON keeps apart. */
function spanOf(runId: string) {
  return {
    traceId: hex(16),
    spanId: hex(8),
    name: 'mcp.execute_sql',
    kind: Span_SpanKind.SERVER,
    startTimeUnixNano: 1_795_860_000_000_000_001n,
    endTimeUnixNano: 18_446_744_073_709_551_615n,
    attributes: [
      attribute('lineage.run_id', { case: 'stringValue', value: runId }),
      attribute('rows', { case: 'intValue', value: 9_007_199_254_740_993n }),
      attribute('ratio', { case: 'doubleValue', value: Number.NaN }),
    ],
  };
}

type Value =
  | { readonly case: 'stringValue'; readonly value: string }
  | { readonly case: 'intValue'; readonly value: bigint }
  | { readonly case: 'doubleValue'; readonly value: number };
const attribute = (key: string, value: Value) => ({ key, value: { value } });

describe('OTLP over HTTP', () => {
  const store = new StoreClient(inject('environment'));
  const post = (body: Uint8Array | string, headers: Record<string, string> = {}) =>
    store.post('/v1/traces', body, 'traces', { ...PROTOBUF, ...headers });
  const held = (traceId: string, deliveries: number) =>
    store.until(`/api/v1/traces/${traceId}`, ({ json }) => json.deliveries.length === deliveries);

  it.each([
    ['as it is', (bytes: Uint8Array) => bytes, {}],
    ['gzipped', gzipSync, GZIP],
  ])('takes protobuf %s and gives it back exactly', async (_how, pack, headers) => {
    const runId = randomUUID();
    const span = spanOf(runId);
    const answer = await post(pack(protobufExport(span)), headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-protobuf');
    expect([...answer.bytes]).toEqual([0x0a, 0]);

    const { json } = await held(span.traceId, 1);
    expect(json.spans.resourceSpans[0].scopeSpans[0].spans).toEqual([
      {
        ...{ traceId: span.traceId, spanId: span.spanId, name: span.name, kind: 2 },
        startTimeUnixNano: '1795860000000000001',
        endTimeUnixNano: '18446744073709551615',
        attributes: [
          { key: 'lineage.run_id', value: { stringValue: runId } },
          { key: 'rows', value: { intValue: '9007199254740993' } },
          { key: 'ratio', value: { doubleValue: 'NaN' } },
        ],
      },
    ]);
    expect(json.runs).toMatchObject([{ runId }]);
    const line = await store.line(json.deliveries[0].location);
    expect(line.deviations).toEqual(['sent_as_protobuf']);
  });

  it('knows a protobuf export that comes again', async () => {
    const span = spanOf(randomUUID());
    for (const _ of [1, 2]) expect((await post(protobufExport(span))).status).toBe(200);
    const { json } = await held(span.traceId, 2);
    expect(json.spans.resourceSpans[0].scopeSpans[0].spans).toHaveLength(1);
  });

  it.each([
    ['damaged protobuf', 'x', {}, 400, 3],
    ['gzip that is none', 'x', GZIP, 400, 3],
    ['an unknown coding', '', { 'content-encoding': 'zstd' }, 400, 3],
    ['too much', new Uint8Array(4_500_001), {}, 413, 11],
  ])('refuses %s with a google.rpc.Status in bytes', async (_what, body, headers, status, code) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/x-protobuf');
    expect(fromBinary(StatusSchema, answer.bytes)).toMatchObject({
      code,
      message: expect.stringMatching(/\w{3}/),
    });
  });

  it('answers in bytes to a client that sends no Accept, as exporters do', async () => {
    const { apiUrl, keys } = store.environment;
    const headers = { ...PROTOBUF, Authorization: `Bearer ${keys.traces}` };
    const send = (body: Uint8Array) =>
      postRaw(`${apiUrl}/v1/traces`, 'POST', headers, Buffer.from(body));
    const taken = await send(protobufExport(spanOf(randomUUID())));
    expect([taken.status, [...taken.body]]).toEqual([200, [0x0a, 0]]);
    const refused = await send(Buffer.from('x'));
    expect(fromBinary(StatusSchema, refused.body)).toMatchObject({
      code: 3,
      message: expect.stringMatching(/^damaged_protobuf at \$/),
    });
  });

  const postJson = (body: string) => store.post('/v1/traces', body, 'traces');
  const jsonSpan = () => JSON.stringify({ traceId: hex(16), spanId: hex(8), name: 'n' });
  const resourceOf = (...spans: string[]) => `{"scopeSpans":[{"spans":[${spans}]}]}`;

  it.each([
    [
      'containers there twice',
      `{"resourceSpans":[${resourceOf(jsonSpan())}],"resource_spans":null}`,
    ],
    ['an OpenLineage event', '{"eventType":"START","run":{"runId":"r"},"job":{}}'],
    [
      'spans as before OTLP 0.15',
      `{"resourceSpans":[{"instrumentationLibrarySpans":[{"spans":[${jsonSpan()}]}]}]}`,
    ],
  ])('refuses %s, of which spans would be lost', async (_what, body) => {
    const answer = await postJson(body);
    expect([answer.status, answer.json.code]).toEqual([400, 3]);
  });

  it('files the spans beside a container that cannot be read, and counts that', async () => {
    const [good, other] = [jsonSpan(), jsonSpan()];
    const body = `{"resourceSpans":[${resourceOf(good)},{"scopeSpans":[{"spans":{}}]},{"old":[]},${resourceOf(other)}]}`;
    const answer = await postJson(body);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedSpans: '2',
          errorMessage: 'required_array: 1, no_known_container: 1',
        },
      },
    ]);
    for (const span of [good, other].map((text) => JSON.parse(text))) {
      const { json } = await held(span.traceId, 1);
      expect(json.spans.resourceSpans).toEqual([{ scopeSpans: [{ spans: [span] }] }]);
    }
  });

  it('refuses what would be too much for the stream with 413, not with 503 each time', async () => {
    const noise = randomBytes(57_000).toString('hex');
    const spans = Array.from({ length: 255 }, (_, n) =>
      JSON.stringify({ traceId: n.toString(16).padStart(2, '0') + hex(15), spanId: hex(8) }),
    );
    const body = `{"resourceSpans":[${resourceOf(...spans).replace('{', `{"resource":{"noise":"${noise}"},`)}]}`;
    const answer = await store.post('/v1/traces', gzipSync(body), 'traces', GZIP);
    expect([answer.status, answer.json.code]).toEqual([413, 11]);
  });

  it('refuses text with 415, and another method with 405', async () => {
    const text = await store.post('/v1/traces', '{}', 'traces', { 'content-type': 'text/plain' });
    expect([text.status, text.json.code]).toEqual([415, 3]);
    const got = await store.get('/v1/traces', 'traces');
    expect([got.status, got.headers.get('allow'), got.json.code]).toEqual([405, 'POST', 12]);
  });
});
