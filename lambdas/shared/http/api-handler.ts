import type { Logger } from '@aws-lambda-powertools/logger';
import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { fitAnswer } from './large-answer.ts';
import { faultCode, type HttpProblem, problemOf, problemResponse } from './problem.ts';

export type ApiLogger = Pick<Logger, 'info' | 'error'>;

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;
type Refuse = (
  problem: HttpProblem,
  requestId: string,
  event: APIGatewayProxyEvent,
) => APIGatewayProxyResult;

/**
 * The frame of every API function: an error becomes a problem document, a large answer is made to
 * fit, every answer carries `x-request-id`, and each request is one log line without a byte of it.
 * @param refuse how a refusal is written where the protocol has a form of its own (OTLP)
 */
export function apiHandler(
  logger: ApiLogger,
  work: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>,
  refuse: Refuse = problemResponse,
) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answered(logger))
    .use(refused(logger, refuse))
    .use(fitted)
    .handler(work);
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

function answered(logger: ApiLogger): Middleware {
  const close: NonNullable<Middleware['after']> = (request) => {
    const { requestContext, resource } = request.event;
    const { requestId } = requestContext;
    const response = responseOf(request);
    logger.info('request answered', { requestId, route: resource, status: response.statusCode });
    request.response = { ...response, headers: { ...response.headers, 'x-request-id': requestId } };
  };
  // Hooks run in reverse of their registration, so this one, registered first, closes every answer.
  return { after: close, onError: close };
}

function responseOf(request: { response: APIGatewayProxyResult | null }): APIGatewayProxyResult {
  return request.response as APIGatewayProxyResult;
}
