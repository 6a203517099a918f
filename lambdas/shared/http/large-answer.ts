import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { header } from './body.ts';
import { HttpProblem } from './problem.ts';

/** Smaller answers travel as they are: compressing them costs more than it saves. */
const COMPRESS_FROM_CHARACTERS = 256 * 1024;
/** Lambda returns 6,291,556 bytes at the most, counted after the body is escaped into JSON. */
const MAX_RETURNED_BYTES = 6_200_000;

/**
 * Makes a large answer fit what a function may return: gzipped where the caller takes that.
 * @throws HttpProblem 406 when it cannot fit otherwise
 */
export function fitAnswer(
  response: APIGatewayProxyResult,
  event: APIGatewayProxyEvent,
): APIGatewayProxyResult {
  if (response.body.length < COMPRESS_FROM_CHARACTERS) return response;
  if (takesGzip(event)) {
    return {
      ...response,
      headers: { ...response.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
      body: gzipSync(response.body).toString('base64'),
      isBase64Encoded: true,
    };
  }
  if (Buffer.byteLength(JSON.stringify(response.body)) <= MAX_RETURNED_BYTES) return response;
  throw new HttpProblem(
    406,
    'Not Acceptable',
    'the answer is too large uncompressed; ask with Accept-Encoding: gzip',
  );
}

/** Accept-Encoding (RFC 9110, 12.5.3): gzip or anything, unless its weight is zero. */
function takesGzip(event: APIGatewayProxyEvent): boolean {
  return (header(event, 'accept-encoding') ?? '').split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return (name === 'gzip' || name === '*') && Number(weight) > 0;
  });
}
