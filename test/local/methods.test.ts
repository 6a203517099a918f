import { describe, expect, inject, it } from 'vitest';

describe('a request by path and method, without a key', () => {
  const { apiUrl } = inject('environment');
  const ask = (method: string, path: string) => fetch(apiUrl + path, { method });

  it.each([
    ['GET', '/api/v1/lineage', 'POST'],
    ['PUT', '/api/v1/lineage/batch', 'POST'],
    ['DELETE', '/health', 'GET, HEAD'],
    ['PATCH', '/api/v1/runs/x', 'GET'],
  ])('%s %s is 405 with the right method', async (method, path, allow) => {
    const answer = await ask(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(await answer.json()).toMatchObject({ title: 'Method Not Allowed', status: 405 });
  });

  it('HEAD /health is 200 without a body', async () => {
    const answer = await ask('HEAD', '/health');
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('GET /v1/traces is 405 in the form of OTLP', async () => {
    const answer = await ask('GET', '/v1/traces');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await answer.json()).toMatchObject({ code: 12 });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/api/v1/nowhere'],
    ['POST', '/api/v1/lineages'],
    ['POST', '/nowhere'],
    ['PUT', '/v1/metrics'],
  ])('%s %s is 404', async (method, path) => {
    const answer = await ask(method, path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ title: 'Not Found', status: 404 });
  });
});
