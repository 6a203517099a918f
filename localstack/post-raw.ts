import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** By name as spelled; a list is a header that is sent in several lines. */
export type RawHeaders = Readonly<Record<string, string | readonly string[]>>;

// The ingest answers within 4 s; an emulator that starts a function for the first time needs longer.
const ANSWER_TIMEOUT_MILLIS = 30_000;

/**
 * Sends exactly these headers and bytes, chunked where the headers say so: unlike fetch it adds
 * nothing, so that the receiver sees what a recorded client sent.
 * @throws the error of the connection, or a TimeoutError after 30 s
 */
export async function postRaw(
  url: string,
  method: string,
  headers: RawHeaders,
  body: Buffer,
): Promise<RawAnswer> {
  const target = new URL(url);
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const own = Object.entries(headers).filter(
    ([name]) => !['host', 'connection', 'content-length'].includes(name.toLowerCase()),
  );
  const chunked = own.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  return await new Promise((resolve, reject) => {
    const request = send(target, {
      method,
      // A kept connection could be closed under us, and a POST is not ours to repeat.
      agent: false,
      headers: {
        ...Object.fromEntries(own),
        ...(!chunked && { 'Content-Length': String(body.length) }),
      },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MILLIS),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      buffer(response).then(
        (answer) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }),
        reject,
      );
    });
    request.end(body);
  });
}
