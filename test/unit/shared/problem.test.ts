import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  InvalidEventError,
  LineageError,
  TooLargeError,
  UnavailableError,
  UnreadableRecordError,
} from '../../../lambdas/domain/errors.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { apiHandler } from '../../../lambdas/shared/http/api-handler.ts';
import {
  faultCode,
  forbidden,
  HttpProblem,
  notFound,
  problemOf,
  problemResponse,
  unauthorized,
  unavailable,
} from '../../../lambdas/shared/http/problem.ts';
import { CONTEXT, request } from '../../support/http.ts';
import { recorder } from '../../support/recorder.ts';
import { seeded } from '../../support/seeded.ts';

const CANARY = 'canary-7f3e9d01';
const foreign = [
  new TypeError(CANARY),
  new Error(CANARY, { cause: CANARY }),
  CANARY,
  null,
  undefined,
  { message: CANARY },
];

describe('problemOf', () => {
  it.each<readonly [unknown, number]>([
    [new TooLargeError('the body', 5), 413],
    [new InvalidEventError([{ path: '$', rule: 'r' }]), 400],
    [new UnavailableError('kinesis'), 503],
    [new UnreadableRecordError('x'), 503],
    [new LineageError('x', CANARY), 503],
    [unauthorized('x'), 401],
    [forbidden('read'), 403],
    [notFound('x'), 404],
    ...foreign.map((error) => [error, 503] as const),
  ])('answers %s with %i', (error, status) => {
    expect(problemOf(error).status).toBe(status);
  });

  it('puts Retry-After on 503 and on nothing else', () => {
    const problems = [
      unauthorized('x'),
      forbidden('x'),
      notFound('x'),
      problemOf(new TooLargeError('x', 1)),
      problemOf(new InvalidEventError([])),
    ];
    for (const problem of problems)
      expect(Object.keys(problem.headers)).not.toContain('retry-after');
    expect(unavailable().headers).toEqual({ 'retry-after': '2' });
  });

  it.each(foreign)('never shows what a foreign error says (%#)', (error) => {
    expect(JSON.stringify(problemResponse(problemOf(error), 'id'))).not.toContain(CANARY);
    expect(faultCode(error)).not.toContain(CANARY);
  });

  it('names the limit of what is too large', () => {
    expect(problemOf(new TooLargeError('the request body', 4_500_000)).message).toContain(
      '4500000',
    );
  });

  it('never echoes text that is no JSON', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, behind) => {
        try {
          new JsonDocument(before + CANARY + behind);
        } catch (error) {
          const { body } = problemResponse(problemOf(error), 'id');
          expect(body).not.toContain('canary');
        }
      }),
      seeded(200),
    );
  });
});

describe('problemResponse', () => {
  it('is a problem document with a name for the request', () => {
    const { statusCode, headers, body } = problemResponse(
      new HttpProblem(400, 'Bad Request', 'd', { errors: [{ path: '$', rule: 'r' }] }),
      'id-1',
    );
    expect([statusCode, headers?.['content-type']]).toEqual([400, 'application/problem+json']);
    expect(JSON.parse(body)).toEqual({
      ...{
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: 'd',
        instance: 'urn:uuid:id-1',
      },
      errors: [{ path: '$', rule: 'r' }],
    });
  });
});

describe('faultCode', () => {
  it('is only for faults of ours', () => {
    expect(faultCode(unauthorized('x'))).toBeUndefined();
    expect(faultCode(new InvalidEventError([]))).toBeUndefined();
    expect(faultCode(new UnavailableError('kinesis'))).toBe('kinesis_unavailable');
    expect(faultCode(new RangeError(CANARY))).toBe('RangeError');
  });
});

describe('apiHandler', () => {
  const call = async (work: () => Promise<{ statusCode: number; body: string }>) => {
    const { logger, lines } = recorder();
    const handler = apiHandler(logger, work);
    const event = request({
      path: `/${CANARY}`,
      body: CANARY,
      queryStringParameters: { q: CANARY },
    });
    return { answer: await handler(event, CONTEXT), lines };
  };

  it.each([
    ['an answer', async () => ({ statusCode: 200, body: '{}' })],
    ['a refusal', () => Promise.reject(notFound('x'))],
    ['a fault', () => Promise.reject(new Error(CANARY))],
  ])('names the request on %s', async (_what, work) => {
    expect((await call(work)).answer.headers).toMatchObject({ 'x-request-id': 'request-1' });
  });

  it('logs one line a request, and a second for a fault of ours', async () => {
    expect((await call(() => Promise.reject(notFound('x')))).lines).toHaveLength(1);
    expect((await call(() => Promise.reject(new Error('x')))).lines).toHaveLength(2);
  });

  it('logs not a byte of the request, nor of a foreign error', async () => {
    const { lines, answer } = await call(() =>
      Promise.reject(new Error(CANARY, { cause: new Error(CANARY) })),
    );
    expect(JSON.stringify([lines, answer])).not.toContain(CANARY);
  });
});
