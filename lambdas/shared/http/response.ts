import type { APIGatewayProxyResult } from 'aws-lambda';

export function jsonResponse(statusCode: number, body: unknown): APIGatewayProxyResult {
  return jsonTextResponse(statusCode, JSON.stringify(body));
}

/** An answer that is JSON text already: stored documents are passed on to the byte. */
export function jsonTextResponse(statusCode: number, body: string): APIGatewayProxyResult {
  return { statusCode, headers: { 'content-type': 'application/json' }, body };
}

/** An answer in bytes; the gateway turns the base64 back. */
export function binaryResponse(
  statusCode: number,
  contentType: string,
  body: Uint8Array,
): APIGatewayProxyResult {
  return {
    statusCode,
    headers: { 'content-type': contentType },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  };
}
