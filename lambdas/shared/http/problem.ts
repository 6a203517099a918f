import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  errorCode,
  InvalidEventError,
  ownSentence,
  RateLimitedError,
  type RuleViolation,
  TooLargeError,
} from '../../domain/errors.ts';
import { JsonSyntaxError } from '../../domain/json/scanner.ts';
import { REFUSALS, type Refusal } from '../../domain/openlineage/departures.ts';
import { TRACE_REFUSALS, type TraceRefusal } from '../../domain/traces/departures.ts';

/** A refusal with a fixed text: what went wrong and what to do. Never a byte of what was sent. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly title: string;
  readonly errors: readonly RuleViolation[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    title: string,
    detail: string,
    options: { errors?: readonly RuleViolation[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.status = status;
    this.title = title;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** Transient refusals carry this: 1 s shortens the outage an OTel SDK survives, 10 s makes it give up at once. */
const RETRY_AFTER_SECONDS = 2;

export const unauthorized = (detail: string) =>
  new HttpProblem(401, 'Unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } });

export const forbidden = (scope: string) =>
  new HttpProblem(
    403,
    'Forbidden',
    `this key lacks the scope ${scope}; ask an administrator for a key that has it`,
  );

/** A body as a whole breaks a rule; `R` narrows the rules to those of one table, or of both. */
export const badBody = <R extends Refusal | TraceRefusal>(rule: R, detail: string) =>
  new HttpProblem(400, 'Bad Request', detail, { errors: [{ path: '$', rule }] });

export const badTraceId = () =>
  new HttpProblem(400, 'Bad Request', 'a trace id is 32 hex digits and not all zero');

export const notFound = (detail: string) => new HttpProblem(404, 'Not Found', detail);

export const unavailable = (
  detail = 'the store cannot answer for the moment; send the same request again',
) =>
  new HttpProblem(503, 'Service Unavailable', detail, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });

/** What a thrown value means to the caller. Anything unforeseen is a transient fault of ours, and opaque. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof TooLargeError)
    return new HttpProblem(413, 'Content Too Large', ownSentence(error));
  if (error instanceof JsonSyntaxError) {
    return badBody(error.rule, `the body is not JSON: ${error.rule} at character ${error.offset}`);
  }
  if (error instanceof InvalidEventError) {
    const { violations } = error;
    return new HttpProblem(400, 'Bad Request', meaningOf(violations), { errors: violations });
  }
  if (error instanceof RateLimitedError) {
    return unavailable(`${ownSentence(error)}; send the same request again`);
  }
  return unavailable();
}

const MEANINGS: Readonly<Record<string, string>> = { ...TRACE_REFUSALS, ...REFUSALS };

/** What the broken rules mean, each once: the same sentences as in the documentation. */
function meaningOf(violations: readonly RuleViolation[]): string {
  const said = new Set(violations.map(({ rule }) => MEANINGS[rule] ?? rule));
  return [...said].join('; ');
}

/** Whether this error deserves a log line with our own code: a fault of ours, not of the caller. */
export function faultCode(error: unknown): string | undefined {
  return problemOf(error).status >= 500 ? errorCode(error) : undefined;
}

/** A problem document (RFC 9457) as the API answers it. */
export function problemResponse(problem: HttpProblem, requestId: string): APIGatewayProxyResult {
  return {
    statusCode: problem.status,
    headers: { 'content-type': 'application/problem+json', ...problem.headers },
    body: JSON.stringify({
      type: 'about:blank',
      title: problem.title,
      status: problem.status,
      detail: problem.message,
      instance: `urn:uuid:${requestId}`,
      ...(problem.errors.length > 0 && { errors: problem.errors }),
    }),
  };
}
