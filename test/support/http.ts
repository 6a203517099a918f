import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { bearerKeyHash, composeBearerKey } from '../../lambdas/domain/producers/bearer-key.ts';
import { RateLimiter } from '../../lambdas/domain/producers/rate-limit.ts';
import type { Registration } from '../../lambdas/domain/producers/registration.ts';
import { registration } from './builders.ts';
import { InMemoryProducers } from './fakes/producers.ts';
import { InMemoryUsage } from './fakes/usage.ts';
import { recorder } from './recorder.ts';

export const KEY_ID = 'abcdefghij01';
export const KEY = composeBearerKey(KEY_ID, 'S'.repeat(32));
export const CONTEXT = {} as Context;

/** An API Gateway REST event as a function gets it. */
export function request(overrides: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  return {
    httpMethod: 'POST',
    resource: '/api/v1/lineage',
    path: '/api/v1/lineage',
    headers: { Authorization: `Bearer ${KEY}` },
    multiValueHeaders: {},
    body: null,
    isBase64Encoded: false,
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    requestContext: { requestId: 'request-1' } as APIGatewayProxyEvent['requestContext'],
    ...overrides,
  };
}

/** A body as the gateway hands over binary media. */
export function binary(bytes: Uint8Array, headers: Record<string, string> = {}) {
  return {
    body: Buffer.from(bytes).toString('base64'),
    isBase64Encoded: true,
    headers: { Authorization: `Bearer ${KEY}`, ...headers },
  };
}

/** A registry that knows {@link KEY}. */
export function producersWith(overrides: Partial<Registration> = {}): InMemoryProducers {
  const producers = new InMemoryProducers();
  producers.rows.set(KEY_ID, {
    keyHash: bearerKeyHash(KEY),
    registration: registration(overrides),
  });
  return producers;
}

/** What the two ingest functions meter with: rate windows, refusal counters, log and metrics; and that keys are bearer keys. */
export function metering() {
  const usage = new InMemoryUsage();
  const { logger, metrics, lines, counted, publications } = recorder();
  return {
    usage,
    lines,
    counted,
    publications,
    dependencies: {
      ...{ limiter: new RateLimiter(usage), rejections: usage, metrics, logger },
      authMode: 'bearer' as const,
    },
  };
}
