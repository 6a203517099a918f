import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { createHandler } from '../../../lambdas/ingest-traces/handler.ts';
import { NOW } from '../../support/builders.ts';
import { InMemoryStream, SingleEpochKey } from '../../support/fakes.ts';
import { binary, CONTEXT, KEY, metering, producersWith, request } from '../../support/http.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CANARY = 'canary-7f3e9d01';
const traceId = (firstByte: string) => `${firstByte}${'ab'.repeat(15)}`;
const span = (firstByte: string, overrides: Record<string, unknown> = {}) => ({
  ...{ traceId: traceId(firstByte), spanId: 'b7ad6b7169203331', name: 'n', kind: 1 },
  ...{ startTimeUnixNano: '1', endTimeUnixNano: '2' },
  ...overrides,
});
const exported = (...spans: unknown[]) =>
  JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] });

function ingest(registration: Parameters<typeof producersWith>[0] = {}) {
  const stream = new InMemoryStream();
  const registry = producersWith(registration);
  const { lines, dependencies } = metering();
  const handler = createHandler({
    publisher: stream,
    registry,
    epochKeys: new SingleEpochKey(),
    maxRecordBytes: 50_000,
    clock: () => NOW,
    ...dependencies,
  });
  const post = async (overrides: Parameters<typeof request>[0]) => {
    const { statusCode, headers, body } = await handler(
      request({
        resource: '/v1/traces',
        path: '/v1/traces',
        headers: { Authorization: `Bearer ${KEY}`, ...JSON_TYPE },
        ...overrides,
      }),
      CONTEXT,
    );
    return { status: statusCode, headers, answer: JSON.parse(body) };
  };
  return { stream, registry, lines, post };
}

describe('POST /v1/traces', () => {
  it('answers success without a word of partial success when every span is taken', async () => {
    expect(await ingest().post({ body: exported(span('01')) })).toMatchObject({
      status: 200,
      answer: { partialSuccess: {} },
    });
  });

  it('puts one record for each first byte of a trace id', async () => {
    const { post, stream } = ingest();
    await post(binary(gzipSync(exported(span('01'), span('02'), span('01'))), JSON_TYPE));
    const bodies = stream.records.map(({ data }) =>
      Buffer.from(decodeStreamRecord(data).body).toString(),
    );
    expect(bodies.map((body) => body.match(/"traceId"/g)?.length)).toEqual([2, 1]);
    expect(new Set(stream.records.map(({ partitionKey }) => partitionKey)).size).toBe(2);
  });

  it('takes an export without a span for a success, with nothing to keep', async () => {
    const { post, stream } = ingest();
    expect((await post({ body: '{"resourceSpans":[]}' })).status).toBe(200);
    expect(stream.records).toEqual([]);
  });

  it('reports spans without a readable id as partial success, and keeps the others', async () => {
    const { post, stream } = ingest();
    const { status, answer } = await post({
      body: exported(span('01'), span('02', { traceId: CANARY })),
    });
    expect(status).toBe(200);
    expect(answer.partialSuccess).toMatchObject({ rejectedSpans: '1' });
    expect(JSON.stringify(answer)).not.toContain(CANARY);
    expect(stream.records).toHaveLength(1);
  });

  it.each([
    ['no JSON', { body: `{"${CANARY}` }, 400, 3],
    ['another shape', { body: '{"resourceSpans":{}}' }, 400, 3],
    ['no key', { body: exported(), headers: JSON_TYPE }, 401, 16],
    ['too much', { body: exported(span('01', { x: ' '.repeat(4_500_000) })) }, 413, 11],
  ])('refuses %s with %3$i, as a google.rpc.Status', async (_what, overrides, status, code) => {
    const { post, stream } = ingest();
    const refused = await post(overrides);
    expect(refused).toMatchObject({ status, answer: { code, message: expect.any(String) } });
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect(JSON.stringify(refused)).not.toContain(CANARY);
    expect(stream.faults.calls).toEqual([]);
  });

  it('refuses a key that may only send lineage', async () => {
    expect(await ingest({ scopes: ['ingest:lineage'] }).post({ body: exported() })).toMatchObject({
      status: 403,
      answer: { code: 7 },
    });
  });

  it('is 503 with Retry-After when the stream is down', async () => {
    const { post, stream } = ingest();
    stream.faults.refuse('publish');
    const { status, headers, answer } = await post({ body: exported(span('01')) });
    expect([status, headers?.['retry-after'], answer.code]).toEqual([503, '2', 14]);
  });

  it('is 503 when one record of several was not acknowledged: the exporter sends the export again', async () => {
    const { post, stream } = ingest();
    stream.publish = async (records) => records.map((_, n) => n === 0);
    expect((await post({ body: exported(span('01'), span('02')) })).status).toBe(503);
  });

  it('hashes a part that comes again alike, so that it is recognised', async () => {
    const { post, stream } = ingest();
    await post({ body: exported(span('01')) });
    await post({ body: exported(span('01')) });
    const [a, b] = stream.records.map(({ data }) => decodeStreamRecord(data).head);
    expect(a?.received.hmac).toBe(b?.received.hmac);
    expect(a?.receiptId).not.toBe(b?.receiptId);
  });

  it('writes no byte of an export into the log', async () => {
    const { post, lines } = ingest();
    for (const body of [exported(span('01', { name: CANARY })), `"${CANARY}`]) await post({ body });
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });
});
