import type { APIGatewayProxyEvent } from 'aws-lambda';
import { decodeExport } from '../domain/protobuf/decode-export.ts';
import { header, headerValues, readBody, readBytes } from '../shared/http/body.ts';
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
export interface OtlpRequest {
  readonly text: string;
  readonly deviations: readonly string[];
}

/** @throws HttpProblem 400 or 415; InvalidEventError, TooLargeError: each final for the sender */
export function readRequest(event: APIGatewayProxyEvent): OtlpRequest {
  const encoding = encodingOf(event);
  if (encoding === undefined) {
    const known = Object.values(MEDIA_TYPES).join(' or ');
    throw new HttpProblem(415, 'Unsupported Media Type', `send OTLP with Content-Type: ${known}`);
  }
  refuseWrongCoding(event);
  return encoding === 'protobuf' ? decodeExport(readBytes(event)) : readBody(event);
}

/** First bytes of what each Content-Encoding promises. */
const SIGNATURES: ReadonlyMap<string, readonly number[]> = new Map([
  ['gzip', [0x1f, 0x8b]],
  ['x-gzip', [0x1f, 0x8b]],
  ['deflate', [0x78]],
]);

/**
 * A coding that is named must be one that is taken and the one that was used, as at the collector;
 * a gzip body without the header is found by its bytes.
 */
function refuseWrongCoding(event: APIGatewayProxyEvent): void {
  const coding = headerValues(event, 'content-encoding').join(',').trim().toLowerCase();
  if (coding === '') return;
  const signature = SIGNATURES.get(coding);
  if (!signature) {
    throw badCoding('content_encoding_unknown', 'compress with gzip, or send no Content-Encoding');
  }
  const start = startOfBody(event);
  if (signature.some((byte, i) => start[i] !== byte)) {
    throw badCoding(
      'content_encoding_not_applied',
      'the body is not compressed as its Content-Encoding says; compress it, or send no such header',
    );
  }
}

const badCoding = (rule: string, detail: string) =>
  new HttpProblem(400, 'Bad Request', detail, { errors: [{ path: '$', rule }] });

/** The first three bytes, of which base64 makes four characters. */
function startOfBody({ body, isBase64Encoded }: APIGatewayProxyEvent): Buffer {
  return isBase64Encoded
    ? Buffer.from((body ?? '').slice(0, 4), 'base64')
    : Buffer.from((body ?? '').slice(0, 3));
}
