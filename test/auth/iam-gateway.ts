import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { LOCAL_ACCOUNT } from '../../localstack/aws.ts';
import { evaluate } from '../support/iam/evaluate.ts';
import type { PolicyDocument } from '../support/iam/policy.ts';
import { alsoAskedFor, askedForAnswer, type KeyOf } from './also-asked-for.ts';
import { type AskedFor, askedFor, type SignedRequest } from './asked-for.ts';

/** One right that was asked for, and whether the caller had it. */
export interface Call extends AskedFor {
  readonly caller: string;
  readonly denied: boolean;
  /** The request was refused for it; a header that is left out is missed by whoever needs it alone. */
  readonly refused: boolean;
}

/** Who comes through the gateway. */
export interface GatewayCaller {
  readonly name: string;
  /** Its identity policies as they stand at the moment. */
  readonly policies: () => readonly PolicyDocument[];
}

/** Between callers and the emulator: ends TLS in their stead, and asks for the rights that the emulator does not ask for. */
export interface IamGateway {
  /** Caller -> where it finds AWS; no trailing slash. */
  readonly origins: ReadonlyMap<string, string>;
  readonly keyOf: KeyOf;
  /** ARNs of objects that are taken to be gone, as if they went between a list and a read. */
  readonly gone: Set<string>;
  /** What was asked for since the last time. */
  take(): readonly Call[];
  close(): Promise<void>;
}

/** A warm function keeps its connections between two checks. */
const KEEP_ALIVE_MILLIS = 60_000;

/** A key policy leaves its key to the policies of the account, as those of all our keys do but the signing key. */
const LEFT_TO_THE_ACCOUNT: PolicyDocument = {
  Statement: {
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${LOCAL_ACCOUNT}:root` },
    Action: 'kms:*',
    Resource: '*',
  },
};

/**
 * Opens a door for each caller and passes requests on as they were signed. The emulator takes `x-forwarded-proto` for
 * the transport of the caller, so that policies that deny plain HTTP let these through.
 */
export async function startIamGateway(
  upstream: string,
  callers: readonly GatewayCaller[],
  keyOf: KeyOf,
): Promise<IamGateway> {
  let calls: Call[] = [];
  const streams: StreamOfIterator = new Map();
  const gone = new Set<string>();
  const doors = await Promise.all(
    callers.map(async ({ name, policies }) => {
      const has = (asked: AskedFor, refuses = true) => {
        const denied = !allows(policies(), asked);
        calls.push({ ...asked, caller: name, denied, refused: denied && refuses });
        return !denied;
      };
      const record = (asked: readonly AskedFor[], denied: boolean) => {
        for (const one of asked) calls.push({ ...one, caller: name, denied, refused: denied });
      };
      const door = await openDoor((request) =>
        pass(upstream, request, { has, record, keyOf, streams, gone }),
      );
      return [name, door] as const;
    }),
  );
  return {
    ...{ keyOf, gone },
    origins: new Map(doors.map(([name, { origin }]) => [name, origin])),
    take: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
    close: async () => {
      await Promise.all(doors.map(([, door]) => door.close()));
    },
  };
}

/** A door for callers that bypass IAM but not the transport: passes on whatever comes. */
export function startTlsEnd(upstream: string): ReturnType<typeof openDoor> {
  return openDoor((request) => forward(upstream, request));
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Passing {
  /** Whether the caller has a right; written down. */
  readonly has: (asked: AskedFor, refuses?: boolean) => boolean;
  readonly record: (asked: readonly AskedFor[], denied: boolean) => void;
  readonly keyOf: KeyOf;
  readonly streams: StreamOfIterator;
  readonly gone: ReadonlySet<string>;
}

/** Shard iterator -> ARN of its stream. */
type StreamOfIterator = Map<string, string>;

async function pass(
  upstream: string,
  request: SignedRequest,
  { has, record, keyOf, streams, gone }: Passing,
): Promise<Answer> {
  const asked = askedFor(request).map((one) => ofItsStream(one, request, streams));
  const also = alsoAskedFor(request, asked, keyOf);
  // each is asked for, so that all of them are written down
  const own = asked.filter(({ action }) => action === 'kinesis:GetRecords');
  if ([...own, ...also].filter((one) => !has(one)).length > 0) return refusal(asked);
  const isGone = asked.some(({ resource }) => gone.has(resource));
  const answer = isGone ? NO_SUCH_VERSION : await forward(upstream, request);
  const denied = isDenial(answer);
  record(asked, denied);
  if (denied) return answer;
  remember(asked, answer, streams);
  const { absence, headers } = askedForAnswer(request, asked, answer.status, answer.headers);
  if (absence && !has(absence)) return refusal(asked);
  const shown = Object.entries(answer.headers).filter(([name]) => {
    const right = headers.get(name);
    return right === undefined || has(right, false);
  });
  return { ...answer, headers: Object.fromEntries(shown) };
}

/** `GetRecords` names its stream in the iterator alone, and the emulator cannot tell it either. */
function ofItsStream(
  asked: AskedFor,
  { body }: SignedRequest,
  streams: StreamOfIterator,
): AskedFor {
  if (asked.action !== 'kinesis:GetRecords') return asked;
  const resource = streams.get(JSON.parse(body.toString()).ShardIterator);
  if (resource === undefined) throw new Error('a shard iterator that did not come from here');
  return { ...asked, resource };
}

function remember([asked]: readonly AskedFor[], { body }: Answer, streams: StreamOfIterator): void {
  if (asked === undefined || !/^kinesis:Get(Records|ShardIterator)$/.test(asked.action)) return;
  const { NextShardIterator, ShardIterator } = JSON.parse(body.toString());
  const iterator = ShardIterator ?? NextShardIterator;
  if (iterator) streams.set(iterator, asked.resource);
}

function allows(
  policies: readonly PolicyDocument[],
  { action, context, resource }: AskedFor,
): boolean {
  const caller = {
    kind: 'identity',
    arn: `arn:aws:iam::${LOCAL_ACCOUNT}:role/caller`,
    policies,
  } as const;
  const guarded = {
    accountId: LOCAL_ACCOUNT,
    ...(action.startsWith('kms:') && { policy: LEFT_TO_THE_ACCOUNT }),
  };
  return evaluate({ caller, action, resource, ...(context && { context }) }, guarded).allowed;
}

const NO_SUCH_VERSION: Answer = {
  ...{ status: 404, headers: { 'content-type': 'application/xml' } },
  body: Buffer.from('<Error><Code>NoSuchVersion</Code><Message>gone</Message></Error>'),
};

function refusal(asked: readonly AskedFor[]): Answer {
  if (asked[0]?.action.startsWith('s3:')) {
    const body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
    return { status: 403, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
  }
  const body = JSON.stringify({ __type: 'AccessDeniedException', message: 'Access Denied' });
  return {
    status: 400,
    headers: { 'content-type': 'application/x-amz-json-1.1' },
    body: Buffer.from(body),
  };
}

/** S3 says it with 403, services that speak JSON with 400 and a code; the answer to a HEAD has no body. */
function isDenial({ status, body }: Answer): boolean {
  return status === 403 || (status === 400 && /AccessDenied|NotAuthorized/.test(body.toString()));
}

async function forward(upstream: string, { method, path, headers, body }: SignedRequest) {
  const { hostname, port } = new URL(upstream);
  const sent = { ...headers, 'x-forwarded-proto': 'https' };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    send({ hostname, port, method, path, headers: sent, agent: false })
      .on('response', resolve)
      .on('error', reject)
      .end(body);
  });
  const { 'transfer-encoding': _, ...kept } = answer.headers;
  return { status: answer.statusCode ?? 0, headers: kept, body: await buffer(answer) };
}

async function openDoor(react: (request: SignedRequest) => Promise<Answer>) {
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { headers, method = 'GET', url: path = '/' } = incoming;
    const {
      status,
      headers: answered,
      body,
    } = await react({
      ...{ method, path, headers, body: await buffer(incoming) },
    });
    outgoing.writeHead(status, answered).end(body);
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error) => {
      process.stderr.write(`the gateway could not pass a request on: ${error}\n`);
      outgoing.destroy();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MILLIS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
