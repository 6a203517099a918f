import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RecordingProxy, startRecordingProxy, textOf } from '../../support/recording-proxy.ts';

let upstream: RecordingProxy;
let proxy: RecordingProxy;

// A proxy without an upstream answers by itself: it serves as the upstream of the other one.
beforeEach(async () => {
  upstream = await startRecordingProxy();
  proxy = await startRecordingProxy(upstream.origin);
});

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${proxy.origin}/api/v1/lineage`, { method: 'POST', body, headers }).then(
    (response) => response,
    () => 'broken' as const,
  );

it('passes requests on as they are and records what was inside', async () => {
  const wire = gzipSync('{"a":1}');
  await post(wire, { 'content-encoding': 'gzip', authorization: 'Bearer secret' });
  const [seen] = upstream.exchanges;
  expect(seen?.content.toString()).toBe('{"a":1}');
  const [exchange] = proxy.exchanges;
  expect(exchange && textOf(exchange)).toBe('{"a":1}');
  expect(exchange).toMatchObject({
    gzip: true,
    response: { status: 201 },
    upstream: { status: 201 },
  });
  expect(exchange?.authorizationSchemes).toEqual(['Bearer']);
  expect(JSON.stringify(exchange)).not.toContain('secret');
});

it('answers in place of the upstream, which then sees nothing', async () => {
  proxy.inject({ kind: 'answer', status: 503, retryAfterSeconds: 2 }, undefined);
  const refused = await post('1');
  expect(refused).toMatchObject({ status: 503 });
  expect(refused !== 'broken' && refused.headers.get('retry-after')).toBe('2');
  expect(upstream.exchanges).toHaveLength(0);
  expect(await post('2')).toMatchObject({ status: 201 });
  expect(upstream.exchanges).toHaveLength(1);
});

it('breaks the connection before the upstream sees the request, or after it did its work', async () => {
  proxy.inject({ kind: 'reset' }, { kind: 'lose-answer' });
  expect(await post('1')).toBe('broken');
  expect(upstream.exchanges).toHaveLength(0);
  expect(await post('2')).toBe('broken');
  expect(upstream.exchanges).toHaveLength(1);
  const [reset, lost] = proxy.exchanges;
  expect(reset?.upstream).toBeUndefined();
  expect(lost?.upstream).toMatchObject({ status: 201 });
  expect(lost?.response).toBeUndefined();
});

it('fails everything until it is told to stop', async () => {
  proxy.failAll({ kind: 'answer', status: 503 });
  expect(await post('1')).toMatchObject({ status: 503 });
  expect(await post('2')).toMatchObject({ status: 503 });
  proxy.failAll(undefined);
  expect(await post('3')).toMatchObject({ status: 201 });
});
