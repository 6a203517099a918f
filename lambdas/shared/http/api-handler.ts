import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { LineageError } from '../../domain/errors.ts';
import type { FunctionLog } from '../function-log.ts';
import { within } from '../within.ts';
import { fitAnswer } from './large-answer.ts';
import { refuseOtherMethods } from './methods.ts';
import { faultCode, type HttpProblem, problemOf, problemResponse } from './problem.ts';

export type ApiLogger = Pick<FunctionLog, 'info' | 'error'>;

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;
type Refuse = (
  problem: HttpProblem,
  requestId: string,
  event: APIGatewayProxyEvent,
) => APIGatewayProxyResult;

type Work = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/**
 * The frame of every API function: a wrong method and an error become problem documents, a large answer is made to
 * fit, every answer carries `x-request-id`, and each request is one log line without a byte of it.
 * @param refuse how a refusal is written where the protocol has a form of its own (OTLP)
 */
export function apiHandler(logger: ApiLogger, work: Work, refuse: Refuse = problemResponse) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answered(logger))
    .use(refused(logger, refuse))
    .use(fitted)
    .handler(async (event) => {
      refuseOtherMethods(event);
      return work(event);
    });
}

/** Java gives up on an answer after 5 s without another try, and Spark loses events to a slow receiver (clients.md 6). */
export const PRODUCER_WAITS_MILLIS = 4_000;

/**
 * Work that a producer waits for: what takes longer is answered with 503, so that it is sent again.
 * What was under way may still arrive; the delivery that follows has the same bytes and is the same event.
 */
export function inTime(work: Work): Work {
  return async (event) => within(PRODUCER_WAITS_MILLIS, work(event), tooLate);
}

/** The error of work that its producer no longer waits for. */
export function tooLate(): LineageError {
  return new LineageError('answer_too_late', 'the work took too long');
}

const fitted: Middleware = {
  after: (request) => {
    request.response = fitAnswer(responseOf(request), request.event);
  },
};

function refused(logger: ApiLogger, refuse: Refuse): Middleware {
  return {
    onError: (request) => {
      const { requestId } = request.event.requestContext;
      const fault = faultCode(request.error);
      if (fault !== undefined) logger.error('request failed', { requestId, fault });
      request.response = refuse(problemOf(request.error), requestId, request.event);
    },
  };
}

/** The answer to a HEAD, a refusal included (RFC 9110, 9.3.2). */
const NO_BODY = { body: '', isBase64Encoded: false };

function answered(logger: ApiLogger): Middleware {
  const close: NonNullable<Middleware['after']> = (request) => {
    const { httpMethod, requestContext, resource } = request.event;
    const { requestId } = requestContext;
    const response = responseOf(request);
    logger.info('request answered', { requestId, route: resource, status: response.statusCode });
    const headers = { ...response.headers, 'x-request-id': requestId };
    request.response = { ...response, ...(httpMethod === 'HEAD' && NO_BODY), headers };
  };
  // Hooks run in reverse of their registration, so this one, registered first, closes every answer.
  return { after: close, onError: close };
}

function responseOf(request: { response: APIGatewayProxyResult | null }): APIGatewayProxyResult {
  return request.response as APIGatewayProxyResult;
}
