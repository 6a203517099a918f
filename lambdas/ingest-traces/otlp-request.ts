import type { APIGatewayProxyEvent } from 'aws-lambda';
import { decodeExport } from '../domain/protobuf/decode-export.ts';
import type { TraceDeviation } from '../domain/traces/departures.ts';
import type { RejectedSpans } from '../domain/traces/otlp.ts';
import { header, type RequestBody, readBody, readBytes } from '../shared/http/body.ts';
import { HttpProblem, notFound } from '../shared/http/problem.ts';

/** The two encodings of OTLP/HTTP; an answer has that of its request. */
export type OtlpEncoding = 'protobuf' | 'json';

export const MEDIA_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** Encoding of a request by its Content-Type, parameters aside; undefined for any other type. */
export function encodingOf(event: APIGatewayProxyEvent): OtlpEncoding | undefined {
  const mediaType = header(event, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType === MEDIA_TYPES.protobuf) return 'protobuf';
  return mediaType === MEDIA_TYPES.json ? 'json' : undefined;
}

/** @throws HttpProblem 404; the gateway takes both spellings of the path for one resource */
export function refuseTrailingSlash({ path }: APIGatewayProxyEvent): void {
  if (path.endsWith('/')) throw notFound('send exports to /v1/traces, without a trailing slash');
}

/** OTLP/JSON text of an export, and how it departed from the specification. */
export interface OtlpRequest extends Pick<RequestBody, 'text'> {
  readonly deviations: readonly TraceDeviation[];
  /** What was found to be rejected before there was a text. */
  readonly rejected: readonly RejectedSpans[];
}

/** @throws HttpProblem 400 or 415; InvalidEventError, TooLargeError: each final for the sender */
export function readRequest(event: APIGatewayProxyEvent): OtlpRequest {
  const encoding = encodingOf(event);
  if (encoding === undefined) {
    const known = Object.values(MEDIA_TYPES).join(' or ');
    throw new HttpProblem(415, 'Unsupported Media Type', `send OTLP with Content-Type: ${known}`);
  }
  // As at the collector's own receiver (clients.md 4.1); a gzip body without the header is found by its bytes.
  const options = { believesHeader: true };
  if (encoding === 'protobuf') return decodeExport(readBytes(event, options));
  return { ...readBody(event, options), rejected: [] };
}
