import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { createHandler } from '../../../lambdas/ingest-traces/handler.ts';
import { NOW } from '../../support/builders.ts';
import { SingleEpochKey } from '../../support/fakes/keys.ts';
import { InMemoryStream } from '../../support/fakes/streams.ts';
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

function ingest(registration: Parameters<typeof producersWith>[0] = {}, maxRecordBytes = 50_000) {
  const stream = new InMemoryStream();
  const registry = producersWith(registration);
  const { lines, dependencies } = metering();
  const handler = createHandler({
    publisher: stream,
    registry,
    epochKeys: new SingleEpochKey(),
    maxRecordBytes,
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

  describe('with a resource that does not compress', () => {
    const noise = Array.from({ length: 1_800 }, (_, n) =>
      createHash('sha256').update(`${n}`).digest('hex'),
    ).join('');
    const cutInto = (records: number) => {
      const spans = Array.from({ length: records }, (_, n) =>
        span(n.toString(16).padStart(2, '0')),
      );
      return exported(...spans).replace('"resource":{}', `"resource":{"noise":"${noise}"}`);
    };

    it('is 413 when its records together are more than the stream takes, however small it was sent', async () => {
      const { post, stream } = ingest({}, 1_000_000);
      const body = gzipSync(cutInto(255));
      expect(body.length).toBeLessThan(100_000);
      const { status, headers, answer } = await post(binary(body, JSON_TYPE));
      expect([status, answer.code]).toEqual([413, 11]);
      expect(headers).not.toHaveProperty('retry-after');
      expect(stream.faults.calls).toEqual([]);
    });

    it('is taken up to there', async () => {
      const { post, stream } = ingest({}, 1_000_000);
      expect((await post({ body: cutInto(60) })).status).toBe(200);
      const bytes = stream.records.reduce((sum, { data }) => sum + data.length, 0);
      expect(bytes).toBeGreaterThan(3_000_000);
      expect((await post({ body: cutInto(90) })).status).toBe(413);
    });
  });

  describe('of a producer with a limit', () => {
    const traces = (count: number) =>
      exported(
        ...Array.from({ length: count }, (_, n) => span((n + 1).toString(16).padStart(2, '0'))),
      );
    const COME_AGAIN = { status: 503, answer: { code: 14 } };

    it('costs as much as it has traces, and is put off as a whole', async () => {
      const { post, stream } = ingest({ eventsPerSecond: 5 });
      expect((await post({ body: traces(5) })).status).toBe(200);
      expect((await post({ body: traces(4) })).status).toBe(200);
      expect(await post({ body: traces(2) })).toMatchObject(COME_AGAIN);
      expect(stream.records).toHaveLength(9);
    });

    it('costs one for many spans of a trace, and for none', async () => {
      const { post } = ingest({ eventsPerSecond: 1 });
      const spans = Array.from({ length: 50 }, () => span('01'));
      expect((await post({ body: exported(...spans) })).status).toBe(200);
      expect((await post({ body: exported() })).status).toBe(200);
      expect(await post({ body: exported() })).toMatchObject(COME_AGAIN);
    });

    it('is refused for good when there may never be room for it', async () => {
      const { post, stream } = ingest({ eventsPerSecond: 5 });
      const { status, headers, answer } = await post({ body: traces(6) });
      expect([status, answer.code]).toEqual([400, 3]);
      expect(answer.message).toContain('more_items_than_the_rate_limit_allows at $');
      expect(headers).not.toHaveProperty('retry-after');
      expect(stream.records).toEqual([]);
    });
  });
});
