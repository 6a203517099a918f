import type { RawAnswer } from '../../localstack/post-raw.ts';
import { forward, type Incoming, startFaultServer } from './fault-server.ts';

/** What the proxy does to one call instead of passing it on. */
export type AwsFault =
  /** Answers with this error; the call never reaches the service. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string }
  /** The service does it, and the connection breaks before the answer. */
  | { readonly kind: 'lose the answer' }
  /** The call never reaches the service and is never answered: what waits for it is ended when its time is over. */
  | { readonly kind: 'never answer' }
  /** PutRecords alone: about half of the entries are reported as failed and never reach the stream. */
  | { readonly kind: 'refuse some entries'; readonly code: string };

export const throttled: AwsFault = {
  kind: 'refuse',
  status: 400,
  code: 'ProvisionedThroughputExceededException',
};
export const throttledByKms: AwsFault = { ...throttled, code: 'ThrottlingException' };
export const broken: AwsFault = { kind: 'refuse', status: 500, code: 'InternalFailure' };
export const kmsBroken: AwsFault = { ...broken, code: 'KMSInternalException' };
export const denied: AwsFault = { kind: 'refuse', status: 400, code: 'AccessDeniedException' };
export const answerLost: AwsFault = { kind: 'lose the answer' };
export const neverAnswered: AwsFault = { kind: 'never answer' };
export const partlyRefused: AwsFault = {
  kind: 'refuse some entries',
  code: 'ProvisionedThroughputExceededException',
};

/** What S3 says while it cannot, and while the key of a bucket is disabled. */
export const slowDown: AwsFault = { kind: 'refuse', status: 503, code: 'SlowDown' };
export const s3Broken: AwsFault = { kind: 'refuse', status: 500, code: 'InternalError' };
export const keyDisabled: AwsFault = { kind: 'refuse', status: 400, code: 'KMS.DisabledException' };
export const badDigest: AwsFault = { kind: 'refuse', status: 400, code: 'BadDigest' };
export const invalidArgument: AwsFault = { kind: 'refuse', status: 400, code: 'InvalidArgument' };

/** How a fault is called in the counts of the proxy. */
export function nameOf(fault: AwsFault): string {
  return fault.kind === 'refuse' ? fault.code : fault.kind;
}

/** The faults of one action, each with its share of the calls; the rest passes unharmed. */
export type FaultPlan = Readonly<
  Record<string, ReadonlyArray<readonly [fault: AwsFault, share: number]>>
>;

export interface AwsFaultProxy {
  /** To be given to a function as `AWS_ENDPOINT_URL_…`; no trailing slash. */
  readonly endpointUrl: string;
  /** Calls by action, and by action and fault: `PutRecords`, `PutRecords: lose the answer`, `PutObject lineage`. */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * Stands between functions and the emulator, which has no faults of its own. Knows services that speak
 * JSON 1.x over HTTP/1.1 and name their action in `X-Amz-Target` (Kinesis, KMS, DynamoDB), and S3 by path, whose
 * actions are named with the first folder of the key: `PutObject lineage`.
 * @param plan is looked at for each call, and may be changed meanwhile
 * @param seed of the choice which call is hit; which one that is also depends on the order of arrival
 */
export async function startAwsFaultProxy(
  upstreamUrl: string,
  plan: FaultPlan,
  seed: number,
): Promise<AwsFaultProxy> {
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const random = randomFrom(seed);

  const server = await startFaultServer(async (incoming) => {
    const target = incoming.headers['x-amz-target'];
    const action = target ? (String(target).split('.').at(-1) as string) : s3ActionOf(incoming);
    count(action);
    const fault = draw(plan[action] ?? [], random());
    if (fault) count(`${action}: ${nameOf(fault)}`);
    if (fault?.kind === 'refuse') {
      return target
        ? answer(fault.status, { __type: fault.code, message: 'injected' })
        : s3Answer(fault.status, fault.code);
    }
    if (fault?.kind === 'refuse some entries') {
      return putSome(incoming, fault.code, random, upstreamUrl);
    }
    if (fault?.kind === 'never answer') return new Promise(() => undefined);
    const done = await forward(incoming, upstreamUrl);
    return fault ? undefined : done;
  });
  return { endpointUrl: server.origin, counts, close: server.close };
}

/** Passes on the entries that are spared, and answers for all of them in the order sent. */
async function putSome(
  incoming: Incoming,
  code: string,
  random: () => number,
  upstreamUrl: string,
): Promise<RawAnswer> {
  const input = JSON.parse(incoming.body.toString('utf8')) as {
    readonly Records: readonly unknown[];
  };
  const spared = input.Records.map(() => random() < 0.5);
  const Records = input.Records.filter((_, index) => spared[index]);
  let put: unknown[] = [];
  if (Records.length > 0) {
    const sent = Buffer.from(JSON.stringify({ ...input, Records }));
    const { status, body } = await forward(incoming, upstreamUrl, sent);
    if (status !== 200) throw new Error(`the stream answered ${status}`);
    put = (JSON.parse(body.toString('utf8')) as { Records: unknown[] }).Records;
  }
  return answer(200, {
    FailedRecordCount: input.Records.length - put.length,
    Records: spared.map((isSpared) =>
      isSpared ? put.shift() : { ErrorCode: code, ErrorMessage: 'injected' },
    ),
  });
}

/** Of a request by path: `/<bucket>/<folder>/...?x-id=PutObject`; requests that the SDK marks with no id go by method. */
function s3ActionOf({ method, path }: Incoming): string {
  const { pathname, searchParams } = new URL(path, 'http://s3');
  return `${searchParams.get('x-id') ?? method} ${pathname.split('/')[2] ?? ''}`;
}

function s3Answer(status: number, code: string): RawAnswer {
  const body = `<Error><Code>${code}</Code><Message>injected</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
}

function answer(status: number, document: unknown): RawAnswer {
  const headers = { 'content-type': 'application/x-amz-json-1.1' };
  return { status, headers, body: Buffer.from(JSON.stringify(document)) };
}

function draw(faults: FaultPlan[string], chance: number): AwsFault | undefined {
  let upTo = 0;
  return faults.find(([, share]) => {
    upTo += share;
    return chance < upTo;
  })?.[0];
}

/** Mulberry32: numbers in [0, 1) that come again with the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
