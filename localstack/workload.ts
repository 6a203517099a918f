import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { UserError } from './errors.ts';
import { postRaw, type RawAnswer } from './post-raw.ts';
import { createFreshen } from './workload-freshen.ts';
import { readRecording, type WorkloadRequest } from './workload-recording.ts';

/** The part of environment.json that the replay needs. */
export interface ReplayTarget {
  readonly apiUrl: string;
  readonly keys: { readonly lineage: string; readonly traces: string };
}

export interface ReplayOptions {
  /** The newest event or span gets this time; the others keep their distance to it. */
  readonly now: Date;
  /** Equal seeds and times send equal bytes, which the store recognises as deliveries of one event. */
  readonly idempotencySeed?: string;
}

/** What was sent: enough to show one run, and to know later that the workload is there. */
export interface Replay {
  /** In the order of their first event. */
  readonly runs: readonly { name: string; runId: string; traceId?: string }[];
  /** One for each event; trace exports have no receipt. */
  readonly receipts: readonly { request: string; receiptId: string; acceptedAt: string }[];
  readonly traceExports: number;
}

const MAX_RETRIES = 5;
// The ingest asks for 2 s; a gateway in front of it must not make us wait for ever.
const MAX_RETRY_AFTER_SECONDS = 10;

/**
 * Sends the recorded workload through the front door with fresh ids and times, as its clients sent it.
 * @throws UserError with one sentence when a request is refused or nobody answers
 */
export async function replayWorkload(
  { apiUrl, keys }: ReplayTarget,
  { now, idempotencySeed = randomUUID() }: ReplayOptions,
  recording: readonly WorkloadRequest[] = readRecording(),
): Promise<Replay> {
  const bodies = recording.map(({ body }) => body);
  const freshen = createFreshen(bodies, { now, seed: idempotencySeed });
  const runs = new Map<string, Replay['runs'][number]>();
  const receipts: Replay['receipts'][number][] = [];
  let traceExports = 0;

  for (const recorded of recording) {
    const request = { ...recorded, body: freshen(recorded.body) };
    const isTraces = request.path.endsWith('/v1/traces');
    const answer = await deliver(apiUrl, request, isTraces ? keys.traces : keys.lineage);
    if (isTraces || request.run === undefined) {
      traceExports += 1;
      continue;
    }
    const { run } = JSON.parse(request.body);
    const traceId = run.facets?.bearingnode_traceContext?.traceId;
    runs.set(request.run, { name: request.run, runId: run.runId, ...(traceId && { traceId }) });
    receipts.push({ request: request.name, ...readReceipt(answer, request.name) });
  }
  return { runs: [...runs.values()], receipts, traceExports };
}

async function deliver(apiUrl: string, request: WorkloadRequest, key: string): Promise<RawAnswer> {
  const plain = Buffer.from(request.body, 'utf8');
  const body = request.gzip ? gzipSync(plain) : plain;
  const headers = { ...request.headers, Authorization: `Bearer ${key}` };
  for (let retries = 0; ; retries++) {
    const answer = await postRaw(apiUrl + request.path, request.method, headers, body).catch(
      (error: NodeJS.ErrnoException) => {
        throw new UserError(
          `The workload stopped at '${request.name}' because ${apiUrl} does not answer (${error.code ?? error.name}): look whether the emulator still runs, then start again.`,
        );
      },
    );
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status !== 503 || retries === MAX_RETRIES) {
      throw new UserError(
        `The workload stopped at '${request.name}' because the front door answered ${answer.status} after ${retries} retries: see the log of the ingest function.`,
      );
    }
    await sleep(retryAfterSeconds(answer) * 1000);
  }
}

function retryAfterSeconds({ headers }: RawAnswer): number {
  const seconds = Number(headers['retry-after'] ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS) : 1;
}

function readReceipt({ body }: RawAnswer, name: string): { receiptId: string; acceptedAt: string } {
  try {
    const { receiptId, acceptedAt } = JSON.parse(body.toString('utf8'));
    if (typeof receiptId === 'string') return { receiptId, acceptedAt };
  } catch {
    // Told below: whatever answered, it was not the ingest.
  }
  throw new UserError(
    `The workload stopped at '${name}' because the answer holds no receipt: check that the API URL is the one of this deployment.`,
  );
}
