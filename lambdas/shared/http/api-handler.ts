import type { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { fitAnswer } from './large-answer.ts';
import { faultCode, type HttpProblem, problemOf, problemResponse } from './problem.ts';

export type ApiLogger = Pick<Logger, 'info' | 'error'>;

type Refuse = (
  problem: HttpProblem,
  requestId: string,
  event: APIGatewayProxyEvent,
) => APIGatewayProxyResult;

/**
 * Wraps the work of an API function: one log line a request without a byte of it, every error as a
 * problem document, `x-request-id` on every answer.
 * @param refuse how a refusal is written where the protocol has a form of its own (OTLP)
 */
export function apiHandler(
  logger: ApiLogger,
  work: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>,
  refuse: Refuse = problemResponse,
) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>().handler(async (event) => {
    const { requestId } = event.requestContext;
    let response: APIGatewayProxyResult;
    try {
      response = fitAnswer(await work(event), event);
    } catch (error) {
      response = refuse(problemOf(error), requestId, event);
      const fault = faultCode(error);
      if (fault !== undefined) logger.error('request failed', { requestId, fault });
    }
    logger.info('request answered', {
      requestId,
      route: event.resource,
      status: response.statusCode,
    });
    return { ...response, headers: { ...response.headers, 'x-request-id': requestId } };
  });
}
