import { gunzipSync } from 'node:zlib';
import type { RawAnswer, RawHeaders } from '../../localstack/post-raw.ts';
import { type FaultServer, forward, type Incoming, startFaultServer } from './fault-server.ts';

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

/** Its origin is given to a client in place of the upstream's. */
export interface RecordingProxy extends FaultServer {
  readonly exchanges: readonly Exchange[];
  /** Faults for the next requests, one for each in the order of their arrival; undefined lets one through. */
  inject(...faults: readonly (Fault | undefined)[]): void;
  /** From now on every request that finds no waiting fault gets this one; undefined ends that. */
  failAll(fault: Fault | undefined): void;
}

const NOT_RECORDED = new Set(['authorization', 'host']);

/**
 * Forwards every request, byte for byte, to the same path at the upstream origin; without one it
 * answers as the ingest does (201 for lineage, 200 for traces).
 */
export async function startRecordingProxy(upstreamOrigin?: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const waiting: (Fault | undefined)[] = [];
  let lasting: Fault | undefined;

  const server = await startFaultServer(async (incoming) => {
    const fault = waiting.length > 0 ? waiting.shift() : lasting;
    const reached = fault === undefined || fault.kind === 'lose-answer';
    const ask = async () =>
      upstreamOrigin ? await forward(incoming, upstreamOrigin) : standIn(incoming.path);
    const upstream = reached ? await ask() : undefined;
    const answer = fault ? injected(fault) : upstream;
    exchanges.push(exchangeOf(incoming, fault, answer, upstream));
    return answer;
  });
  return {
    ...server,
    exchanges,
    inject: (...faults) => void waiting.push(...faults),
    failAll: (fault) => {
      lasting = fault;
    },
  };
}

function exchangeOf(
  { method, path, headers, headerLines, body }: Incoming,
  fault: Fault | undefined,
  answer: RawAnswer | undefined,
  upstream: RawAnswer | undefined,
): Exchange {
  const gzip = headers['content-encoding'] === 'gzip';
  return {
    method,
    path,
    headers: recorded(headerLines),
    authorizationSchemes: [headerLines.Authorization ?? headerLines.authorization ?? []]
      .flat()
      .map((line) => line.split(' ')[0] ?? ''),
    gzip,
    content: gzip ? gunzipSync(body) : body,
    ...(fault && { fault: fault.kind }),
    ...(answer && { response: asText(answer) }),
    ...(answer?.headers['content-type'] && { responseType: answer.headers['content-type'] }),
    ...(upstream && { upstream: asText(upstream) }),
  };
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
