import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { postRaw, type RawAnswer } from '../../localstack/post-raw.ts';
import type { RecordedRequest } from '../../localstack/workload-recording.ts';

/** What went over the wire and what came back, in the order of arrival. */
export interface Exchange extends RecordedRequest {
  readonly response: { readonly status: number; readonly body: string };
}

export interface RecordingProxy {
  /** Origin to give to a client in place of the upstream's; no trailing slash. */
  readonly origin: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

const NOT_RECORDED = new Set(['authorization', 'host']);

/**
 * Listens on a free local port and forwards every request, byte for byte, to the same path at the
 * upstream origin; without one it answers as the ingest does (201 for lineage, 200 for traces).
 */
export async function startRecordingProxy(upstreamOrigin?: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const wire = await buffer(request);
    const path = request.url ?? '/';
    const headers = headersInOrder(request);
    const answer = upstreamOrigin
      ? await postRaw(`${upstreamOrigin}${path}`, request.method ?? '', headers, wire)
      : standIn(path);
    const gzip = request.headers['content-encoding'] === 'gzip';
    exchanges.push({
      method: request.method ?? '',
      path,
      headers: Object.fromEntries(
        Object.entries(headers).filter(([name]) => !NOT_RECORDED.has(name.toLowerCase())),
      ),
      gzip,
      body: utf8(gzip ? gunzipSync(wire) : wire),
      response: { status: answer.status, body: answer.body.toString('utf8') },
    });
    const { 'content-type': type, 'retry-after': retryAfter } = answer.headers;
    if (type) response.setHeader('content-type', type);
    if (retryAfter) response.setHeader('retry-after', retryAfter);
    response.writeHead(answer.status).end(answer.body);
  };

  const server = createServer((request, response) => {
    // A client must see an upstream that is away as it would without us: the connection breaks.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Names as the client spelled them; of a repeated header the last value. */
function headersInOrder({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers[rawHeaders[i] as string] = rawHeaders[i + 1] as string;
  }
  return headers;
}

function standIn(path: string): RawAnswer {
  const status = path.endsWith('/v1/traces') ? 200 : 201;
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };
}

/** A recording as text must give the bytes back. */
function utf8(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
