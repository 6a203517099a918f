import type { RejectedSpans } from '../domain/traces/otlp.ts';
import type { HttpProblem } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';

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

/** ExportTraceServiceResponse: partial success is set only when spans were rejected. */
export function exportAnswer(rejected: readonly RejectedSpans[]) {
  if (rejected.length === 0) return { partialSuccess: {} };
  return {
    partialSuccess: {
      rejectedSpans: String(rejected.reduce((sum, { count }) => sum + count, 0)),
      errorMessage: rejected.map(({ rule, count }) => `${rule}: ${count}`).join(', '),
    },
  };
}

/** A refusal as OTLP/HTTP wants it: a google.rpc.Status instead of a problem document. */
export function otlpRefusal(problem: HttpProblem) {
  const rules = problem.errors.map(({ path, rule }) => `${rule} at ${path}`);
  const message = [problem.message, ...rules].join('; ');
  const response = jsonResponse(problem.status, {
    code: RPC_CODE[problem.status] ?? RPC_UNKNOWN,
    message,
  });
  return { ...response, headers: { ...response.headers, ...problem.headers } };
}
