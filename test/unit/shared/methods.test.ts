import { describe, expect, it } from 'vitest';
import { apiHandler } from '../../../lambdas/shared/http/api-handler.ts';
import { RESOURCE_METHODS } from '../../../lambdas/shared/http/methods.ts';
import { jsonResponse } from '../../../lambdas/shared/http/response.ts';
import { request } from '../../support/http.ts';

const silent = { info: () => {}, error: () => {} };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe.each(Object.entries(RESOURCE_METHODS))('%s', (resource, methods) => {
  const allowed: readonly string[] = methods;
  const handle = async (httpMethod: string) => {
    let worked = false;
    const handler = apiHandler(silent, async () => {
      worked = true;
      return jsonResponse(200, {});
    });
    const answer = await handler(request({ httpMethod, resource }), {} as never);
    return { ...answer, worked };
  };

  it.each(METHODS)('answers a wrong method before any work: %s', async (method) => {
    const { body, headers, statusCode, worked } = await handle(method);
    expect(worked).toBe(allowed.includes(method));
    if (worked) return;
    expect(statusCode).toBe(405);
    expect(headers).toMatchObject({
      allow: allowed.join(', '),
      'content-type': 'application/problem+json',
      'x-request-id': expect.any(String),
    });
    if (method === 'HEAD') expect(body).toBe('');
    else expect(JSON.parse(body)).toMatchObject({ title: 'Method Not Allowed', status: 405 });
  });
});
