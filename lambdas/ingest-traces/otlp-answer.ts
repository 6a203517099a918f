import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import {
  encodeResponse,
  encodeStatus,
  type PartialSuccess,
} from '../domain/protobuf/encode-answer.ts';
import type { RejectedSpans } from '../domain/traces/otlp.ts';
import type { HttpProblem } from '../shared/http/problem.ts';
import { binaryResponse, jsonResponse } from '../shared/http/response.ts';
import { encodingOf, MEDIA_TYPES } from './otlp-request.ts';

/** google.rpc.Code by HTTP status: INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED, … */
const RPC_CODE: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 11,
  415: 3,
  503: 14,
};
const RPC_UNKNOWN = 2;

/** ExportTraceServiceResponse in the encoding of the request: counts are set only when spans were rejected. */
export function exportAnswer(
  rejected: readonly RejectedSpans[],
  event: APIGatewayProxyEvent,
): APIGatewayProxyResult {
  const partialSuccess = partialSuccessOf(rejected);
  return answerIn(event, 200, { partialSuccess }, () => encodeResponse(partialSuccess));
}

function partialSuccessOf(rejected: readonly RejectedSpans[]): PartialSuccess {
  if (rejected.length === 0) return {};
  return {
    rejectedSpans: String(rejected.reduce((sum, { count }) => sum + count, 0)),
    errorMessage: rejected.map(({ rule, count }) => `${rule}: ${count}`).join(', '),
  };
}

/** A refusal as OTLP/HTTP wants it: a google.rpc.Status in the encoding of the request, JSON where it has none. */
export function otlpRefusal(
  problem: HttpProblem,
  _requestId: string,
  event: APIGatewayProxyEvent,
): APIGatewayProxyResult {
  const rules = problem.errors.map(({ path, rule }) => `${rule} at ${path}`);
  const status = {
    code: RPC_CODE[problem.status] ?? RPC_UNKNOWN,
    message: [...rules, problem.message].join('; '),
  };
  const response = answerIn(event, problem.status, status, () => encodeStatus(status));
  return { ...response, headers: { ...response.headers, ...problem.headers } };
}

function answerIn(
  event: APIGatewayProxyEvent,
  statusCode: number,
  json: object,
  protobuf: () => Uint8Array,
): APIGatewayProxyResult {
  if (encodingOf(event) !== 'protobuf') return jsonResponse(statusCode, json);
  return binaryResponse(statusCode, MEDIA_TYPES.protobuf, protobuf());
}
