import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { readBearerKey } from '../../../lambdas/domain/producers/bearer-key.ts';
import type { Scope } from '../../../lambdas/domain/producers/registration.ts';
import { createHandler } from '../../../lambdas/producers/handler.ts';
import { NOW, RETENTION } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { CONTEXT, KEY, producersWith, request } from '../../support/http.ts';
import { recorder } from '../../support/recorder.ts';

const CANARY = 'canary-7f3e9d01';

function administered(scopes: readonly Scope[] = ['admin']) {
  const vault = new InMemoryVault();
  const directory = producersWith({ producerId: 'boss', scopes });
  const { logger, lines } = recorder();
  let n = 0;
  const handler = createHandler({
    ...{ vault, directory, registry: directory, logger, retention: RETENTION },
    authMode: 'bearer',
    clock: () => NOW,
    randomText: (alphabet, length) => (alphabet[n++ % 30] as string).repeat(length),
  });
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    event: Partial<APIGatewayProxyEvent> = {},
  ) => {
    const [, producerId] = /^\/producers\/(.*)$/.exec(path) ?? [];
    const {
      statusCode,
      headers,
      body: text,
    } = await handler(
      request({
        httpMethod: method,
        resource: producerId === undefined ? '/api/v1/producers' : '/api/v1/producers/{producerId}',
        pathParameters: producerId === undefined ? null : { producerId },
        body: typeof body === 'string' ? body : JSON.stringify(body ?? null),
        ...event,
      }),
      CONTEXT,
    );
    return { status: statusCode, headers, text, answer: JSON.parse(text) };
  };
  return { vault, directory, lines, send };
}

const PRODUCER = { producerId: 'p', scopes: ['ingest:lineage'] };

describe('the producers function', () => {
  it('registers, shows the key once, and says who asked for it', async () => {
    const { send, vault } = administered();
    const made = await send('POST', '/producers', PRODUCER);
    expect(made.status).toBe(201);
    expect(made.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(readBearerKey(made.answer.key)?.id).toBe(made.answer.keys[0].keyId);
    const { key: _key, ...shown } = made.answer;
    expect(shown).toMatchObject({
      ...PRODUCER,
      group: 'p',
      version: 1,
      keys: [{ validUntil: null }],
    });
    expect((await send('GET', '/producers/p')).answer).toEqual(shown);
    expect((await send('GET', '/producers')).answer).toEqual({ items: [shown], cursor: null });
    const record = JSON.parse(Buffer.from(vault.versions[0]?.body as Uint8Array).toString());
    expect(record.by).toEqual({ via: 'api', producerId: 'boss' });
  });

  it('takes a compressed body like every other route', async () => {
    const { send } = administered();
    const body = gzipSync(JSON.stringify(PRODUCER)).toString('base64');
    expect((await send('POST', '/producers', body, { isBase64Encoded: true })).status).toBe(201);
  });

  it('makes the one change that a PATCH names', async () => {
    const { send } = administered();
    await send('POST', '/producers', PRODUCER);
    expect((await send('PATCH', '/producers/p', { eventsPerSecond: 5 })).answer).toMatchObject({
      eventsPerSecond: 5,
      version: 2,
    });
    const gone = await send('PATCH', '/producers/p', { eventsPerSecond: null });
    expect(gone.answer).not.toHaveProperty('eventsPerSecond');
    const rotated = await send('PATCH', '/producers/p', { rotate: true });
    expect(rotated).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(rotated.answer.key).toBeTruthy();
    const [old] = rotated.answer.keys;
    expect(Date.parse(old.validUntil) - NOW).toBe(7 * 86_400_000);
    const ended = await send('PATCH', '/producers/p', { endKey: old.keyId });
    expect(ended.answer).not.toHaveProperty('key');
    expect((await send('PATCH', '/producers/p', { rotate: true, overlapHours: 0 })).status).toBe(
      200,
    );
    expect((await send('PATCH', '/producers/p', { disabled: true })).answer.disabled).toBe(true);
    expect((await send('PATCH', '/producers/p', { disabled: false })).answer.disabled).toBe(false);
  });

  it.each([
    [null, '$', 'object'],
    [[], '$', 'object'],
    [{ rotate: false }, '$.rotate', 'true'],
    [{ rotate: true, group: 'g' }, '$', 'one_change_at_a_time'],
    [{ rotate: true, disabled: false }, '$', 'one_change_at_a_time'],
    [{ disabled: true, endKey: 'x' }, '$', 'one_change_at_a_time'],
    [{ disabled: 'yes' }, '$.disabled', 'boolean'],
    [{ disabled: true, overlapHours: 1 }, '$.overlapHours', 'with_rotate_only'],
    [{ rotate: true, overlapHours: -1 }, '$.overlapHours', 'whole_number_from_0_to_8760'],
    [{ rotate: true, overlapHours: 8_761 }, '$.overlapHours', 'whole_number_from_0_to_8760'],
    [{ rotate: true, overlapHours: '1' }, '$.overlapHours', 'whole_number_from_0_to_8760'],
    [{ endKey: 7 }, '$.endKey', 'key_id'],
    [{ [CANARY]: 1 }, '$', 'unknown_field'],
    [{ overlapHours: 1 }, '$', 'unknown_field'],
    [{ producerId: CANARY }, '$.producerId', 'never_changes'],
    [{ producerId: null }, '$.producerId', 'never_changes'],
    [{ rotate: true, overlapHours: null }, '$.overlapHours', 'whole_number_from_0_to_8760'],
    [`{"${CANARY}`, '$', 'json'],
  ])('refuses the change %j at %s by %s', async (body, path, rule) => {
    const { send, vault } = administered();
    await send('POST', '/producers', PRODUCER);
    const { status, answer, text } = await send('PATCH', '/producers/p', body);
    expect([status, answer.errors]).toEqual([400, [{ path, rule }]]);
    expect(text).not.toContain(CANARY);
    expect(vault.versions).toHaveLength(1);
  });

  it('says what conflicts and who is not there', async () => {
    const { send } = administered();
    await send('POST', '/producers', PRODUCER);
    const again = await send('POST', '/producers', PRODUCER);
    expect(again).toMatchObject({ status: 409, answer: { errors: [{ rule: 'producer_exists' }] } });
    const missing = await send('PATCH', '/producers/p', { endKey: 'nothere' });
    expect(missing).toMatchObject({ status: 409, answer: { errors: [{ rule: 'key_not_valid' }] } });
    expect((await send('PATCH', '/producers/q', { disabled: true })).status).toBe(404);
    expect((await send('GET', '/producers/q')).status).toBe(404);
    expect((await send('DELETE', '/producers/p')).status).toBe(405);
  });

  it('refuses a member that is there twice, whichever a reader would take', async () => {
    const { send } = administered();
    await send('POST', '/producers', PRODUCER);
    const bodies: Array<[string, string, string]> = [
      ['POST', '/producers', '{"producerId":"q","scopes":["read"],"scopes":["admin"]}'],
      ['PATCH', '/producers/p', '{"disabled":true,"disabled":false}'],
      ['PATCH', '/producers/p', '{"disabled":true,"dis\\u0061bled":false}'],
    ];
    for (const [method, path, body] of bodies) {
      const refused = await send(method, path, body);
      expect(refused).toMatchObject({
        status: 400,
        answer: { errors: [{ rule: 'duplicate_keys' }] },
      });
    }
  });

  it('lists in pages', async () => {
    const { send } = administered(['read', 'admin']);
    for (const producerId of ['a', 'b', 'c'])
      await send('POST', '/producers', { ...PRODUCER, producerId });
    const page = (query: Record<string, string>) =>
      send('GET', '/producers', undefined, { queryStringParameters: query });
    const first = await page({ limit: '2' });
    const second = await page({ limit: '2', cursor: first.answer.cursor });
    const ids = [...first.answer.items, ...second.answer.items].map(({ producerId }) => producerId);
    expect(ids.sort()).toEqual(['a', 'b', 'c']);
    expect(second.answer.cursor).toBeNull();
    const bad: Record<string, string>[] = [
      { limit: '0' },
      { limit: '1001' },
      { limit: 'x' },
      { limit: '1e2' },
      { limit: '0x10' },
      { limit: '' },
      { cursor: CANARY },
    ];
    for (const query of bad) {
      const { status, text } = await page(query);
      expect(status).toBe(400);
      expect(text).not.toContain(CANARY);
    }
  });

  it.each([
    [['read'], 200, 403],
    [['admin'], 200, 400],
    [['ingest:lineage', 'audit', 'hold'], 403, 403],
  ] as Array<[Scope[], number, number]>)(
    'lets %j look with %i and change with %i',
    async (scopes, look, change) => {
      const { send, vault } = administered(scopes);
      expect((await send('GET', '/producers')).status).toBe(look);
      expect((await send('POST', '/producers', {})).status).toBe(change);
      expect((await send('PATCH', '/producers/p', { rotate: 1 })).status).toBe(change);
      expect(vault.versions).toEqual([]);
    },
  );

  it('is unavailable, and has changed nothing, when table or vault is away', async () => {
    for (const fault of ['find', 'mayHaveRole', 'findByKeyId'] as const) {
      const { send, directory, vault } = administered();
      directory.faults.refuse(fault);
      const { status, headers } = await send('POST', '/producers', PRODUCER);
      expect([status, headers?.['retry-after']]).toEqual([503, '2']);
      expect(vault.versions).toEqual([]);
    }
    const { send, directory, vault } = administered();
    vault.faults.refuse('putDocument');
    expect((await send('POST', '/producers', PRODUCER)).status).toBe(503);
    expect(directory.producers.size).toBe(0);
  });

  it('logs neither a key nor a hash', async () => {
    const { send, lines, directory } = administered();
    const { answer } = await send('POST', '/producers', PRODUCER);
    const rotated = await send('PATCH', '/producers/p', { rotate: true });
    const log = JSON.stringify(lines);
    expect(lines.length).toBeGreaterThan(1);
    const secrets = [KEY, answer.key, rotated.answer.key].map((key: string) => key.split('_')[2]);
    for (const { keyHash } of directory.rows.values()) secrets.push(keyHash as string);
    for (const secret of secrets) expect(log).not.toContain(secret);
  });
});
