import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { composeBearerKey } from '../../lambdas/domain/producers/bearer-key.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { changeVariables } from '../support/function-variables.ts';
import { StoreClient } from '../support/store-client.ts';

const SECRET = 'canary-7f3a91c2';

describe('a request that is refused', () => {
  const store = new StoreClient(inject('environment'));
  const event = JSON.stringify(runEvent());
  const unknownKey = composeBearerKey('000000000000', 'x'.repeat(32));

  it.each([
    ['no key', '/api/v1/lineage', '', event, 401],
    ['a mistyped key', '/api/v1/lineage', `${inject('environment').keys.lineage}0`, event, 401],
    ['an unknown key', '/api/v1/lineage', unknownKey, event, 401],
    ['a key without the scope', '/api/v1/lineage', 'read', event, 403],
    ['no JSON', '/api/v1/lineage', 'lineage', `{"${SECRET}`, 400],
    ['no event', '/api/v1/lineage', 'lineage', `{"${SECRET}":1}`, 400],
    ['an array', '/api/v1/lineage', 'lineage', '[]', 400],
    [
      'an event without run id',
      '/api/v1/lineage',
      'lineage',
      JSON.stringify(runEvent({ run: { [SECRET]: 1 } })),
      400,
    ],
    [
      'bytes that are no text',
      '/api/v1/lineage',
      'lineage',
      new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
      400,
    ],
    [
      'damaged gzip',
      '/api/v1/lineage',
      'lineage',
      new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]),
      400,
    ],
    [
      'too many bytes',
      '/api/v1/lineage',
      'lineage',
      JSON.stringify(runEvent({ pad: 'x'.repeat(4_600_000) })),
      413,
    ],
    [
      'too large a record',
      '/api/v1/lineage',
      'lineage',
      JSON.stringify(runEvent({ pad: randomBytes(1_500_000).toString('base64') })),
      413,
    ],
    ['a broken batch', '/api/v1/lineage/batch', 'lineage', '[{', 400],
    ['1,001 items', '/api/v1/lineage/batch', 'lineage', `[${'{},'.repeat(1000)}{}]`, 400],
    ['the base address', '/', 'lineage', event, 404],
    ['an unknown path', '/api/v2/lineage', 'lineage', event, 404],
  ])('for %s is answered with a problem document', async (_, path, key, body, status) => {
    const answer = await store.post(path, body as string, key);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toMatchObject({
      type: expect.any(String),
      title: expect.any(String),
      status,
    });
    expect(answer.json.detail).toBeTruthy();
    expect(answer.json.instance).toBeTruthy();
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(answer.text).not.toContain(SECRET);
    if (status === 401 && path !== '/')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    if (status === 413) expect(answer.json.detail).toMatch(/\d{6,}/);
  });

  it('at the base address names the two client mistakes that lead there', async () => {
    const { json } = await store.post('/', event);
    expect(json.detail).toContain('/api/v1/lineage');
    expect(json.detail).toContain('/v1/traces');
  });

  it('by the traces route is a google.rpc.Status', async () => {
    const refused = await store.post('/v1/traces', '{', 'traces');
    expect(refused.status).toBe(400);
    expect(refused.json).toEqual({ code: 3, message: expect.any(String) });
    expect(
      (await store.post('/v1/traces', JSON.stringify(spanExport(span())), 'lineage')).json.code,
    ).toBe(7);
  });

  it('by the reading side needs the scope read', async () => {
    expect((await store.get('/api/v1/runs/x', 'lineage')).status).toBe(403);
    expect((await store.get('/api/v1/runs/x', '')).status).toBe(401);
    expect((await store.get('/api/v1/runs/never-seen')).status).toBe(404);
    expect((await store.get('/api/v1/events/r0_forged')).status).toBe(404);
    expect((await store.get(`/api/v1/events/r0_${'0'.repeat(32)}_${'0'.repeat(32)}`)).status).toBe(
      404,
    );
    expect((await store.get('/health', '')).status).toBe(200);
  });
});

describe('while a dependency is away', () => {
  const store = new StoreClient(inject('environment'));
  let restore: () => Promise<void>;

  afterEach(() => restore());

  it.each([
    ['the stream', { LINEAGE_STREAM_NAME: 'gone' }],
    ['the producers table', { PRODUCERS_TABLE_NAME: 'gone' }],
  ])('the caller is asked to come again: %s', async (_, change) => {
    const { clients, environment } = store;
    restore = await changeVariables(
      clients,
      environment.functions.ingest,
      change as Record<string, string>,
    );
    const answer = await store.post('/api/v1/lineage', JSON.stringify(runEvent()));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.text).not.toContain('gone');
  });
});
