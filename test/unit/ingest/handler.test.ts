import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openReceipt } from '../../../lambdas/domain/evidence/receipt.ts';
import { decodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { createHandler } from '../../../lambdas/ingest/handler.ts';
import { EPOCH_KEY, NOW, NOW_TEXT, runEventText } from '../../support/builders.ts';
import { SingleEpochKey } from '../../support/fakes/keys.ts';
import { InMemoryStream } from '../../support/fakes/streams.ts';
import { binary, CONTEXT, KEY, metering, producersWith, request } from '../../support/http.ts';

const CANARY = 'canary-7f3e9d01';

function ingest(registration: Parameters<typeof producersWith>[0] = {}) {
  const stream = new InMemoryStream();
  const registry = producersWith(registration);
  const epochKeys = new SingleEpochKey();
  const { lines, dependencies } = metering();
  const handler = createHandler({
    publisher: stream,
    registry,
    epochKeys,
    maxRecordBytes: 50_000,
    clock: () => NOW,
    ...dependencies,
  });
  const post = async (overrides: Parameters<typeof request>[0]) => {
    const { statusCode, headers, body } = await handler(request(overrides), CONTEXT);
    return { status: statusCode, headers, answer: JSON.parse(body) };
  };
  return { stream, registry, epochKeys, lines, post };
}

describe('POST /api/v1/lineage', () => {
  it('answers 201 with a receipt once the stream has the event', async () => {
    const { post, stream } = ingest();
    const { status, answer } = await post({ body: runEventText() });
    expect(status).toBe(201);
    expect(answer).toEqual({ receiptId: expect.any(String), acceptedAt: NOW_TEXT, deviations: [] });
    expect(openReceipt(EPOCH_KEY, answer.receiptId)).toMatchObject({ acceptedAtMillis: NOW });
    expect(decodeStreamRecord(stream.records[0]?.data as Uint8Array).head.receiptId).toBe(
      answer.receiptId,
    );
  });

  it('puts the event into the stream as it was before compression', async () => {
    const { post, stream } = ingest();
    await post(binary(gzipSync(runEventText())));
    expect(
      Buffer.from(decodeStreamRecord(stream.records[0]?.data as Uint8Array).body).toString(),
    ).toBe(runEventText());
  });

  it('hashes a compressed and an uncompressed delivery of the same bytes alike', async () => {
    const { post, stream } = ingest();
    await post(binary(gzipSync(runEventText())));
    await post({ body: runEventText() });
    const [a, b] = stream.records.map(({ data }) => decodeStreamRecord(data).head.received.hmac);
    expect(a).toBe(b);
  });

  it.each([
    ['no JSON', { body: `{"${CANARY}"` }, 400],
    ['an array', { body: `["${CANARY}"]` }, 400],
    ['no entity', { body: `{"x":"${CANARY}"}` }, 400],
    ['nothing', { body: null }, 400],
    ['no UTF-8', binary(Buffer.from([0xff])), 400],
    ['too much on the wire', { body: runEventText({ x: ' '.repeat(4_500_000) }) }, 413],
    [
      'too much for the stream',
      { body: runEventText({ x: Array.from({ length: 60_000 }, (_, i) => i * 7919) }) },
      413,
    ],
    ['no key', { body: runEventText(), headers: {} }, 401],
    ['another path', { body: runEventText(), resource: '/', path: '/' }, 404],
  ])('refuses %s with %3$i and stores nothing', async (_what, overrides, status) => {
    const { post, stream } = ingest();
    const refused = await post(overrides);
    expect(refused).toMatchObject({
      status,
      answer: { status, instance: 'urn:uuid:request-1' },
    });
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect(stream.faults.calls).toEqual([]);
  });

  it('refuses a key without the scope with 403, before it looks at the body', async () => {
    const { post } = ingest({ scopes: ['read', 'ingest:traces'] });
    expect((await post({ body: 'no json' })).status).toBe(403);
  });

  it.each(['stream', 'registry', 'epochKeys'] as const)(
    'answers 503 with Retry-After when the %s is down',
    async (part) => {
      const state = ingest();
      state[part].faults.refuse(
        { stream: 'publish', registry: 'findByKeyId', epochKeys: 'at' }[part],
      );
      const { status, headers } = await state.post({ body: runEventText() });
      expect([status, headers?.['retry-after']]).toEqual([503, '2']);
      expect(state.stream.records).toEqual([]);
    },
  );

  it('answers 503 when the stream acknowledges nothing', async () => {
    const { post, stream } = ingest();
    stream.publish = async (records) => records.map(() => false);
    expect((await post({ body: runEventText() })).status).toBe(503);
  });

  it('names the two mistakes that lead to POST /', async () => {
    const { answer } = await ingest().post({ resource: '/', headers: {} });
    expect(answer.detail).toMatch(/\/api\/v1\/lineage without a trailing slash/);
    expect(answer.detail).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT/);
  });

  it('never shows or logs what was sent', async () => {
    const { post, lines } = ingest();
    const bodies = [
      `{"${CANARY}"`,
      `{"run":{"runId":["${CANARY}"]}}`,
      `"${CANARY}"`,
      runEventText({ x: CANARY }),
      `{"a":1}${CANARY}`,
    ];
    for (const body of bodies) expect(JSON.stringify(await post({ body }))).not.toContain(CANARY);
    await post({ body: CANARY, headers: { Authorization: `Bearer ${CANARY}` } });
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${CANARY}|${KEY}`));
  });
});
