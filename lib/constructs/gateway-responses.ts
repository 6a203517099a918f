import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

interface Refusal {
  readonly id: string;
  readonly type: ResponseType;
  readonly title: string;
  readonly detail: string;
  /** Absent where several statuses share the answer and each keeps its own. */
  readonly status?: number;
}

const unavailable = { title: 'Service Unavailable', status: 503 };
const forbidden = { title: 'Forbidden', status: 403 };
const TRY_AGAIN = 'The request was not processed; send it again later.';
const FAILED = 'The request may have been processed; send it again, duplicates are recognised.';
const SIGNATURE = 'The request signature is missing, expired or wrong.';

/** Every answer that the gateway makes itself: what a client may retry is a 503, never a 429, 502 or 504. */
const REFUSALS: readonly Refusal[] = [
  {
    id: 'UnknownPath',
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    title: 'Not Found',
    status: 404,
    detail: 'No such path or method.',
  },
  {
    id: 'UnknownResource',
    type: ResponseType.RESOURCE_NOT_FOUND,
    title: 'Not Found',
    status: 404,
    detail: 'No such path or method.',
  },
  {
    id: 'TooLarge',
    type: ResponseType.REQUEST_TOO_LARGE,
    title: 'Content Too Large',
    status: 413,
    detail: 'The request is larger than the gateway takes.',
  },
  {
    id: 'AccessDenied',
    type: ResponseType.ACCESS_DENIED,
    ...forbidden,
    detail: 'Not allowed from here.',
  },
  {
    id: 'WafFiltered',
    type: ResponseType.WAF_FILTERED,
    ...forbidden,
    detail: 'Not allowed from here.',
  },
  { id: 'ExpiredToken', type: ResponseType.EXPIRED_TOKEN, ...forbidden, detail: SIGNATURE },
  { id: 'InvalidSignature', type: ResponseType.INVALID_SIGNATURE, ...forbidden, detail: SIGNATURE },
  {
    id: 'Unauthorized',
    type: ResponseType.UNAUTHORIZED,
    title: 'Unauthorized',
    status: 401,
    detail: 'Credentials are missing or wrong.',
  },
  { id: 'Throttled', type: ResponseType.THROTTLED, ...unavailable, detail: TRY_AGAIN },
  { id: 'QuotaExceeded', type: ResponseType.QUOTA_EXCEEDED, ...unavailable, detail: TRY_AGAIN },
  {
    id: 'IntegrationFailure',
    type: ResponseType.INTEGRATION_FAILURE,
    ...unavailable,
    detail: FAILED,
  },
  {
    id: 'IntegrationTimeout',
    type: ResponseType.INTEGRATION_TIMEOUT,
    ...unavailable,
    detail: FAILED,
  },
  {
    id: 'ApiConfiguration',
    type: ResponseType.API_CONFIGURATION_ERROR,
    ...unavailable,
    detail: FAILED,
  },
  { id: 'Default5xx', type: ResponseType.DEFAULT_5XX, ...unavailable, detail: FAILED },
  {
    id: 'Default4xx',
    type: ResponseType.DEFAULT_4XX,
    title: 'Bad Request',
    detail: 'The gateway refused the request.',
  },
];

/** Makes every answer of the gateway itself an exact problem document (RFC 9457) with the request's id. */
export function addGatewayResponses(api: RestApi): void {
  for (const refusal of REFUSALS) {
    api.addGatewayResponse(refusal.id, {
      type: refusal.type,
      ...(refusal.status && { statusCode: `${refusal.status}` }),
      responseHeaders: {
        'Content-Type': "'application/problem+json'",
        'x-request-id': 'context.requestId',
        ...(refusal.status === 503 && { 'Retry-After': "'2'" }),
      },
      // the key is the type that the gateway falls back to, whatever the client accepts
      templates: { 'application/json': problem(refusal) },
    });
  }
}

/** The template language only substitutes: no status is known where several share the answer. */
function problem({ title, status, detail }: Refusal): string {
  return JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
    instance: 'urn:uuid:$context.requestId',
  });
}
