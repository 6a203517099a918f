import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { EndpointAuth } from '../config/environment-config.ts';

interface Refusal {
  readonly id: string;
  readonly type: ResponseType;
  readonly title: string;
  readonly detail: string;
  /** Always spelled out: a customised response without a status keeps that of the gateway, a 504 for instance. */
  readonly status: number;
}

const notFound = { title: 'Not Found', status: 404 };
const badRequest = { title: 'Bad Request', status: 400 };
const unauthorized = { title: 'Unauthorized', status: 401 };
const forbidden = { title: 'Forbidden', status: 403 };
const unavailable = { title: 'Service Unavailable', status: 503 };

const REFUSED = 'The gateway refused the request.';
const NO_PATH = 'No such path.';
const NOT_FROM_HERE = 'Not allowed from here.';
/** An SDK or agent of OpenTelemetry sends metrics and logs to the same base, where its settings do not say otherwise. */
const TAKEN = 'Taken here are OpenLineage events and OTLP traces; no OTLP metrics or logs.';
const SIGNATURE = 'The request signature is missing, expired or wrong.';
const TRY_AGAIN = 'The request was not processed; send it again later.';
const FAILED = 'The request may have been processed; send it again, duplicates are recognised.';

/**
 * Every answer that the gateway makes itself, one for each type it has: what a client may retry is a 503, never a 429,
 * 502 or 504, and everything else is final. Both defaults only stand for types that AWS adds later.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
function refusals(auth: EndpointAuth): readonly Refusal[] {
  const types = ResponseType;
  // the gateway has one type for both, and asks for a signature only where the config does
  const unknownPath =
    auth === 'iam' ? 'No such path, or the request is not signed (SigV4).' : NO_PATH;
  return [
    {
      id: 'UnknownPath',
      type: types.MISSING_AUTHENTICATION_TOKEN,
      ...notFound,
      detail: `${unknownPath} ${TAKEN}`,
    },
    {
      id: 'UnknownResource',
      type: types.RESOURCE_NOT_FOUND,
      ...notFound,
      detail: `${NO_PATH} ${TAKEN}`,
    },
    {
      id: 'TooLarge',
      type: types.REQUEST_TOO_LARGE,
      title: 'Content Too Large',
      status: 413,
      detail: 'The request body is larger than 4500000 bytes, the most that is taken.',
    },
    {
      id: 'UnsupportedMediaType',
      type: types.UNSUPPORTED_MEDIA_TYPE,
      title: 'Unsupported Media Type',
      status: 415,
      detail: REFUSED,
    },
    { id: 'BadBody', type: types.BAD_REQUEST_BODY, ...badRequest, detail: REFUSED },
    { id: 'BadParameters', type: types.BAD_REQUEST_PARAMETERS, ...badRequest, detail: REFUSED },
    { id: 'AccessDenied', type: types.ACCESS_DENIED, ...forbidden, detail: NOT_FROM_HERE },
    { id: 'WafFiltered', type: types.WAF_FILTERED, ...forbidden, detail: NOT_FROM_HERE },
    { id: 'ExpiredToken', type: types.EXPIRED_TOKEN, ...forbidden, detail: SIGNATURE },
    { id: 'InvalidSignature', type: types.INVALID_SIGNATURE, ...forbidden, detail: SIGNATURE },
    { id: 'InvalidApiKey', type: types.INVALID_API_KEY, ...forbidden, detail: REFUSED },
    { id: 'Unauthorized', type: types.UNAUTHORIZED, ...unauthorized, detail: REFUSED },
    { id: 'Throttled', type: types.THROTTLED, ...unavailable, detail: TRY_AGAIN },
    { id: 'QuotaExceeded', type: types.QUOTA_EXCEEDED, ...unavailable, detail: TRY_AGAIN },
    { id: 'Authorizer', type: types.AUTHORIZER_FAILURE, ...unavailable, detail: TRY_AGAIN },
    {
      id: 'AuthorizerConfiguration',
      type: types.AUTHORIZER_CONFIGURATION_ERROR,
      ...unavailable,
      detail: TRY_AGAIN,
    },
    { id: 'IntegrationFailure', type: types.INTEGRATION_FAILURE, ...unavailable, detail: FAILED },
    { id: 'IntegrationTimeout', type: types.INTEGRATION_TIMEOUT, ...unavailable, detail: FAILED },
    { id: 'ApiConfiguration', type: types.API_CONFIGURATION_ERROR, ...unavailable, detail: FAILED },
    { id: 'Default5xx', type: types.DEFAULT_5XX, ...unavailable, detail: FAILED },
    { id: 'Default4xx', type: types.DEFAULT_4XX, ...badRequest, detail: REFUSED },
  ];
}

/** Makes every answer of the gateway itself an exact problem document (RFC 9457) with the request's id. */
export function addGatewayResponses(api: RestApi, auth: EndpointAuth): void {
  for (const refusal of refusals(auth)) {
    api.addGatewayResponse(refusal.id, {
      type: refusal.type,
      statusCode: `${refusal.status}`,
      responseHeaders: {
        'Content-Type': "'application/problem+json'",
        'x-request-id': 'context.requestId',
        ...(refusal.status === 503 && { 'Retry-After': "'2'" }),
        ...(refusal.status === 401 && { 'WWW-Authenticate': "'Bearer'" }),
      },
      // the key is the type that the gateway falls back to, whatever the client accepts
      templates: { 'application/json': problem(refusal) },
    });
  }
}

/** Fixed text but for the request's id: the gateway's own messages can quote the request. */
function problem({ title, status, detail }: Refusal): string {
  return JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
    instance: 'urn:uuid:$context.requestId',
  });
}
