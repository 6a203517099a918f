import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { postRaw, type RawAnswer, type RawHeaders } from '../../localstack/post-raw.ts';

/** A request as it came, read to its end. */
export interface Incoming {
  readonly method: string;
  readonly path: string;
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** As the client spelled and ordered them; a repeated header keeps every line. */
  readonly headerLines: RawHeaders;
  readonly body: Buffer;
}

export interface FaultServer {
  /** No trailing slash. */
  readonly origin: string;
  close(): Promise<void>;
}

/** The Java client loses an event when an idle connection is closed under it: API Gateway keeps them, so do we. */
const KEEP_ALIVE_MILLIS = 60_000;

/** What a client of ours looks at in an answer; of S3 that are version, checksum and metadata. */
const PASSED_ON = /^(content-type|retry-after|etag|last-modified|x-amz-.*)$/;

/**
 * Listens on a free local port, between a client and what it believes to talk to.
 * @param react the answer, of which status, body and the headers of {@link PASSED_ON} reach the client; undefined resets the connection
 */
export async function startFaultServer(
  react: (incoming: Incoming) => Promise<RawAnswer | undefined>,
): Promise<FaultServer> {
  const server = createServer((request, response) => {
    const handle = async () => {
      const answer = await react(await read(request));
      if (!answer) return request.socket.resetAndDestroy();
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined && PASSED_ON.test(name)) response.setHeader(name, value);
      }
      return response.writeHead(answer.status).end(answer.body);
    };
    // A client must see an upstream that is away as it would without us: the connection breaks.
    handle().catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MILLIS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends a request on to the same path of another origin, byte for byte unless another body is given. */
export function forward(
  { method, path, headerLines, body }: Incoming,
  origin: string,
  sent: Buffer = body,
): Promise<RawAnswer> {
  return postRaw(`${origin}${path}`, method, headerLines, sent);
}

async function read(request: IncomingMessage): Promise<Incoming> {
  const { headers, method = '', url: path = '/' } = request;
  const body = await buffer(request);
  return { method, path, headers, headerLines: linesOf(request), body };
}

function linesOf({ rawHeaders }: IncomingMessage): RawHeaders {
  const lines: Record<string, string | string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = rawHeaders.slice(i, i + 2) as [string, string];
    const before = lines[name];
    lines[name] = before === undefined ? value : [before, value].flat();
  }
  return lines;
}
