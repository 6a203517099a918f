import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Envelope } from '../lambdas/domain/evidence/envelope.ts';
import type { StoreClient } from '../test/support/store-client.ts';
import type { SentEvent } from './traffic.ts';

/** What lies in the vault of the events that were sent, read through S3 alone. */
export interface Vaulted {
  /** Receipts by event, as {@link eventKey} names it. */
  readonly receipts: ReadonlyMap<string, readonly string[]>;
}

/** What a run answers over HTTP about its events. */
export interface AnsweredRun {
  readonly events: ReadonlyArray<{
    readonly eventTime: string;
    readonly deliveries: number;
    readonly receiptIds: readonly string[];
  }>;
  readonly findings: readonly unknown[];
}

/** How often the vault is listed. */
const LOOK_MILLIS = 1_000;
/** Runs that are asked for at the same time. */
const READERS = 8;

export function eventKey({ runId, eventTime }: Pick<SentEvent, 'runId' | 'eventTime'>): string {
  return `${runId} ${eventTime}`;
}

/** Reads new lines of the vault, and remembers what it has read. */
export class VaultReader {
  readonly #store: StoreClient;
  readonly #read = new Set<string>();

  constructor(store: StoreClient) {
    this.#store = store;
  }

  /** Passes over what stands: it may be damage that other tests have done. */
  async passOver(): Promise<void> {
    for (const version of await this.#versions()) this.#read.add(nameOf(version));
  }

  /** Every line below `lineage/` that was not read before. */
  async *newLines(): AsyncGenerator<Envelope> {
    const { vault } = this.#store.environment.buckets;
    for (const version of await this.#versions()) {
      if (this.#read.has(nameOf(version))) continue;
      const body = await this.#store.object({ bucket: vault, ...version });
      this.#read.add(nameOf(version));
      for (const line of gunzipSync(body).toString('utf8').trimEnd().split('\n')) {
        yield JSON.parse(line) as Envelope;
      }
    }
  }

  #versions() {
    return this.#store.versions(this.#store.environment.buckets.vault, 'lineage/');
  }
}

const nameOf = ({ key, versionId }: { key: string; versionId: string }) => `${key} ${versionId}`;

/**
 * Waits until every receipt that a sender was told lies in the vault. What is still missing when the time is over is
 * simply not in the answer.
 */
export async function untilVaulted(
  reader: VaultReader,
  events: readonly SentEvent[],
  deadline: number,
): Promise<Vaulted> {
  const receipts = new Map<string, string[]>(events.map((event) => [eventKey(event), []]));
  const missing = new Set(events.flatMap((event) => event.receipts));
  for (;;) {
    for await (const { receiptId, document } of reader.newLines()) {
      const { run, eventTime } = JSON.parse(document);
      receipts.get(eventKey({ runId: run?.runId, eventTime }))?.push(receiptId);
      missing.delete(receiptId);
    }
    if (missing.size === 0 || Date.now() > deadline) return { receipts };
    await sleep(LOOK_MILLIS);
  }
}

/** Asks for every run until it answers as many deliveries as the vault holds of it, or the time is over. */
export async function untilAnswered(
  store: StoreClient,
  { receipts }: Vaulted,
  deadline: number,
): Promise<ReadonlyMap<string, AnsweredRun>> {
  const deliveries = new Map<string, number>();
  for (const [key, stored] of receipts) {
    const runId = key.split(' ')[0] as string;
    deliveries.set(runId, (deliveries.get(runId) ?? 0) + new Set(stored).size);
  }
  const answered = new Map<string, AnsweredRun>();
  const left = [...deliveries];
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [runId, wanted] = next;
        const run = await readRun(store, runId, wanted, deadline);
        if (run) answered.set(runId, run);
      }
    }),
  );
  return answered;
}

async function readRun(
  store: StoreClient,
  runId: string,
  wanted: number,
  deadline: number,
): Promise<AnsweredRun | undefined> {
  for (;;) {
    const { status, json } = await store.get(`/api/v1/runs/${runId}`);
    const run = status === 200 ? (json as AnsweredRun) : undefined;
    const found = run?.events.reduce((sum, { deliveries }) => sum + deliveries, 0) ?? 0;
    if (found >= wanted || Date.now() > deadline) return run;
    await sleep(LOOK_MILLIS);
  }
}
