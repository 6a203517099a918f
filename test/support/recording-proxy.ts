import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { postRaw, type RawAnswer, type RawHeaders } from '../../localstack/post-raw.ts';

/** What goes wrong with one request: an answer in place of the upstream's, a reset, or work done and the answer lost. */
export type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'lose-answer' };

/** Status and body, as text where it is JSON. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What went over the wire and what came back, in the order of the answers. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** As the client spelled and ordered them, without Authorization and Host. */
  readonly headers: Readonly<Record<string, string>>;
  /** The Authorization lines without what is secret in them: their schemes. */
  readonly authorizationSchemes: readonly string[];
  /** The client compressed the body; `content` is what was inside. */
  readonly gzip: boolean;
  readonly content: Buffer;
  /** What went wrong on purpose. */
  readonly fault?: Fault['kind'];
  /** What the client got; absent when the connection broke. */
  readonly response?: Answer;
  /** Content-Type of that. */
  readonly responseType?: string;
  /** What the upstream answered; absent when it never saw the request. */
  readonly upstream?: Answer;
}

export interface RecordingProxy {
  /** Origin to give to a client in place of the upstream's; no trailing slash. */
  readonly origin: string;
  readonly exchanges: readonly Exchange[];
  /** Faults for the next requests, one for each in the order of their arrival; undefined lets one through. */
  inject(...faults: readonly (Fault | undefined)[]): void;
  /** From now on every request that finds no waiting fault gets this one; undefined ends that. */
  failAll(fault: Fault | undefined): void;
  close(): Promise<void>;
}

const NOT_RECORDED = new Set(['authorization', 'host']);
/** The Java client loses an event when an idle connection is closed under it: API Gateway keeps them, so do we. */
const KEEP_ALIVE_MILLIS = 60_000;

/**
 * Listens on a free local port and forwards every request, byte for byte, to the same path at the
 * upstream origin; without one it answers as the ingest does (201 for lineage, 200 for traces).
 */
export async function startRecordingProxy(upstreamOrigin?: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const waiting: (Fault | undefined)[] = [];
  let lasting: Fault | undefined;

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const fault = waiting.length > 0 ? waiting.shift() : lasting;
    const wire = await buffer(request);
    const path = request.url ?? '/';
    const method = request.method ?? '';
    const headers = headersInOrder(request);
    const reached = fault === undefined || fault.kind === 'lose-answer';
    const forward = async () =>
      upstreamOrigin
        ? await postRaw(`${upstreamOrigin}${path}`, method, headers, wire)
        : standIn(path);
    const upstream = reached ? await forward() : undefined;
    const answer = fault ? injected(fault) : upstream;
    const gzip = request.headers['content-encoding'] === 'gzip';
    exchanges.push({
      method,
      path,
      headers: recorded(headers),
      authorizationSchemes: [headers.Authorization ?? headers.authorization ?? []]
        .flat()
        .map((line) => line.split(' ')[0] ?? ''),
      gzip,
      content: gzip ? gunzipSync(wire) : wire,
      ...(fault && { fault: fault.kind }),
      ...(answer && { response: asText(answer) }),
      ...(answer?.headers['content-type'] && { responseType: answer.headers['content-type'] }),
      ...(upstream && { upstream: asText(upstream) }),
    });
    if (!answer) {
      request.socket.resetAndDestroy();
      return;
    }
    const { 'content-type': type, 'retry-after': retryAfter } = answer.headers;
    if (type) response.setHeader('content-type', type);
    if (retryAfter) response.setHeader('retry-after', retryAfter);
    response.writeHead(answer.status).end(answer.body);
  };

  const server = createServer((request, response) => {
    // A client must see an upstream that is away as it would without us: the connection breaks.
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MILLIS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    exchanges,
    inject: (...faults) => void waiting.push(...faults),
    failAll: (fault) => {
      lasting = fault;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Names as the client spelled them; a repeated header keeps every line. */
function headersInOrder({ rawHeaders }: IncomingMessage): RawHeaders {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = rawHeaders.slice(i, i + 2) as [string, string];
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

function recorded(headers: RawHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !NOT_RECORDED.has(name.toLowerCase()))
      .map(([name, value]) => [name, String(value)]),
  );
}

function injected(fault: Fault): RawAnswer | undefined {
  if (fault.kind !== 'answer') return undefined;
  const { status, retryAfterSeconds } = fault;
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
  return { status, headers, body: Buffer.from('{}') };
}

function standIn(path: string): RawAnswer {
  const status = path.endsWith('/v1/traces') ? 200 : 201;
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };
}

const asText = ({ status, body }: RawAnswer): Answer => ({ status, body: body.toString('utf8') });

/** The content as text that gives the bytes back. Throws on what is not UTF-8, such as protobuf. */
export function textOf({ content }: Exchange): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
}
