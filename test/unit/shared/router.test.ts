import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { fitAnswer } from '../../../lambdas/shared/http/large-answer.ts';
import { jsonResponse } from '../../../lambdas/shared/http/response.ts';
import { findRoute, type Route } from '../../../lambdas/shared/http/router.ts';
import { toBatchResponse, toConsumedRecords } from '../../../lambdas/shared/kinesis-batch.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { request } from '../../support/http.ts';

const echo = (path: string): Route => ({
  path,
  handle: async (found) => jsonResponse(200, { path, ...found }),
});
const routes = [echo('/runs/{runId}'), echo('/runs/{runId}/tree'), echo('/run')];

const call = async (proxy: string, overrides: Partial<APIGatewayProxyEvent> = {}) => {
  const event = request({ httpMethod: 'GET', pathParameters: { proxy }, ...overrides });
  return JSON.parse((await findRoute(routes, event)()).body);
};

describe('findRoute', () => {
  it.each([
    ['runs/a', '/runs/{runId}'],
    ['/runs/a/', '/runs/{runId}'],
    ['runs/a/tree', '/runs/{runId}/tree'],
    ['run', '/run'],
  ])('finds the route of %s', async (proxy, path) => {
    expect(await call(proxy)).toMatchObject({ path });
  });

  it.each(['', 'runs', 'runs/a/b', 'runs/a/tree/x', 'RUN', '__proto__'])(
    'knows nothing at %j, whatever the method',
    (proxy) => {
      for (const httpMethod of ['GET', 'POST']) {
        const event = request({ httpMethod, pathParameters: { proxy } });
        expect(() => findRoute(routes, event)).toThrow(expect.objectContaining({ status: 404 }));
      }
    },
  );

  it('passes parameters as they are', async () => {
    expect(await call('runs/a%2Fb', { queryStringParameters: { submitter: 'ü+ ' } })).toMatchObject(
      {
        parameters: { runId: 'a%2Fb' },
        query: { submitter: 'ü+ ' },
      },
    );
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'])('only reads: %s is 405', (httpMethod) => {
    const event = request({ httpMethod, pathParameters: { proxy: 'run' } });
    expect(() => findRoute(routes, event)).toThrow(
      expect.objectContaining({ status: 405, headers: { allow: 'GET' } }),
    );
  });
});

describe('fitAnswer', () => {
  const large = jsonResponse(200, 'ü'.repeat(300_000));
  const asking = (encoding?: string) =>
    request({ headers: encoding === undefined ? {} : { 'Accept-Encoding': encoding } });

  it.each(['gzip', 'br, gzip;q=0.5', '*', 'deflate, GZIP'])(
    'gzips a large answer for %s',
    (encoding) => {
      const { body, headers, isBase64Encoded } = fitAnswer(large, asking(encoding));
      expect(isBase64Encoded).toBe(true);
      expect(headers).toMatchObject({ 'content-encoding': 'gzip' });
      expect(gunzipSync(Buffer.from(body, 'base64')).toString()).toBe(large.body);
    },
  );

  it.each([undefined, '', 'br', 'gzip;q=0', 'gzip;q=0.0', 'xgzip'])(
    'leaves it alone for %j',
    (encoding) => {
      expect(fitAnswer(large, asking(encoding))).toBe(large);
    },
  );

  it('reads a hostile Accept-Encoding in linear time', () => {
    const growth = growthOverFourfold(50_000, (n) => {
      const event = asking(`gzip;q=.${'1'.repeat(n)}!`);
      return () => fitAnswer(large, event);
    });
    expect(growth).toBeLessThan(10);
  });

  it('says how to get what cannot be returned otherwise', () => {
    const huge = jsonResponse(200, 'x'.repeat(6_300_000));
    expect(() => fitAnswer(huge, asking())).toThrow(expect.objectContaining({ status: 406 }));
    expect(fitAnswer(huge, asking('gzip')).isBase64Encoded).toBe(true);
  });
});

describe('a Kinesis batch', () => {
  it('gives shard, sequence number, arrival in milliseconds and bytes', () => {
    const kinesis = {
      sequenceNumber: '49',
      approximateArrivalTimestamp: 1_545_084_650.987,
      data: 'aGk=',
      partitionKey: 'p',
      kinesisSchemaVersion: '1.0',
    };
    const rest = {
      awsRegion: '',
      eventName: '',
      eventSource: '',
      eventSourceARN: '',
      eventVersion: '',
      invokeIdentityArn: '',
    };
    expect(
      toConsumedRecords({ Records: [{ ...rest, eventID: 'shardId-000000000006:49', kinesis }] }),
    ).toEqual([
      {
        position: { shardId: 'shardId-000000000006', sequenceNumber: '49' },
        arrivedAtMillis: 1_545_084_650_987,
        data: Buffer.from('hi'),
      },
    ]);
  });

  it('answers every failure by its sequence number', () => {
    const failures = new Map([
      ['5', 'unavailable'],
      ['3', 'unavailable'],
    ]);
    expect(toBatchResponse({ failures, stored: 0, skeletons: 0, quarantined: 0 })).toEqual({
      batchItemFailures: [{ itemIdentifier: '5' }, { itemIdentifier: '3' }],
    });
  });
});
