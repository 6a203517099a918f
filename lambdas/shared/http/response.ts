import type { APIGatewayProxyResult } from 'aws-lambda';

export function jsonResponse(statusCode: number, body: unknown): APIGatewayProxyResult {
  return jsonTextResponse(statusCode, JSON.stringify(body));
}

/** An answer that is JSON text already: stored documents are passed on to the byte. */
export function jsonTextResponse(statusCode: number, body: string): APIGatewayProxyResult {
  return { statusCode, headers: { 'content-type': 'application/json' }, body };
}

/**
 * An answer in bytes. The gateway turns base64 back only for a caller who sends Accept, which the OTLP exporters of
 * JavaScript and the collector do not: bytes that are ASCII go as the text that they are.
 */
export function binaryResponse(
  statusCode: number,
  contentType: string,
  body: Uint8Array,
): APIGatewayProxyResult {
  const headers = { 'content-type': contentType };
  if (body.every((byte) => byte < 0x80)) {
    return { statusCode, headers, body: Buffer.from(body).toString('latin1') };
  }
  const base64 = Buffer.from(body).toString('base64');
  return { statusCode, headers, body: base64, isBase64Encoded: true };
}
