import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../test/support/aws-fault-proxy.ts';
import type { Answer, StoreClient } from '../test/support/store-client.ts';
import type { Size, Traffic } from './scenario.ts';

/** An event as its sender has it: its exact text, and the receipts that it was told. */
export interface SentEvent {
  readonly runId: string;
  /** Unique within the run. */
  readonly eventTime: string;
  readonly text: string;
  readonly receipts: string[];
}

/** What was sent, and what came back. */
export interface Sent {
  readonly events: readonly SentEvent[];
  readonly refused: Record<string, number>;
  /** Answers in which the canary stood. */
  leaks: number;
}

const SEED = 20_261_130;
/** Events of a run; nine runs of ten are sent in a batch, the tenth one event at a time. */
const RUN_EVENTS = 10;
const SINGLES_EVERY = 10;
/** Where an answer says nothing: a broken connection, or a gateway that gave up. */
const WAIT_MILLIS = 1_000;
/** A bound for a hang; a minute of refusals is thirty tries. */
const MAX_TRIES = 600;

/** Looks like nothing that a detector knows, so that only the place it stands in can give it away. */
export function newCanary(): string {
  return `zq${randomBytes(7).toString('hex')}`;
}

/** Runs of ten events with a canary in each place that must not be kept. */
export function newEvents(count: number, canary: string): SentEvent[] {
  const base = Date.parse('2026-11-29T10:00:00.000Z');
  let runId = '';
  return Array.from({ length: count }, (_, n) => {
    const position = n % RUN_EVENTS;
    if (position === 0) runId = randomUUID();
    const eventTime = new Date(base + n).toISOString();
    const text = JSON.stringify({
      eventType: position === 0 ? 'START' : position === RUN_EVENTS - 1 ? 'COMPLETE' : 'RUNNING',
      eventTime,
      producer: 'https://example.com/reliability',
      schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
      run: {
        runId,
        facets: {
          errorMessage: { message: canary, programmingLanguage: 'SQL', stackTrace: `at ${canary}` },
          custom: { password: canary, note: `postgres://u:${canary}@db/x` },
        },
      },
      job: {
        namespace: 'reliability',
        name: 'a_job',
        facets: { sql: { query: `select '${canary}' from orders` } },
      },
    });
    return { runId, eventTime, text, receipts: [] };
  });
}

/** Sends events until each is accepted, with as many senders as told, as a client does: what is retriable goes again. */
export async function sendAll(
  store: StoreClient,
  sent: Sent,
  { senders, canary, traffic }: Pick<Size, 'senders'> & { canary: string; traffic: Traffic },
): Promise<void> {
  const queue = requestsOf(sent.events, traffic.copies);
  await Promise.all(
    Array.from({ length: senders }, async (_, n) => {
      const random = randomFrom(SEED + n);
      for (let request = queue.shift(); request; request = queue.shift()) {
        await sendUntilAccepted(request, random);
      }
    }),
  );

  async function sendUntilAccepted(request: readonly SentEvent[], random: () => number) {
    let left = request;
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === MAX_TRIES) throw new Error(`not accepted after ${tries} tries`);
      const answer = await post(store, left);
      if (answer?.text.includes(canary)) sent.leaks++;
      const receipts = answer === undefined ? [] : receiptsOf(answer);
      if (receipts.length === 0) {
        const status = String(answer?.status ?? 'none');
        sent.refused[status] = (sent.refused[status] ?? 0) + 1;
        if (answer && answer.status < 500) throw new Error(`refused with ${status}`);
        await sleep(waitMillis(answer));
        continue;
      }
      if (random() < traffic.unheard) continue;
      const told = new Set<SentEvent>();
      for (const { receiptId, index } of receipts) {
        const event = left[index] as SentEvent;
        event.receipts.push(receiptId);
        told.add(event);
      }
      left = left.filter((event) => !told.has(event));
    }
  }
}

/** Runs in batches and one by one; copies in an order that has nothing to do with that of the events. */
function requestsOf(events: readonly SentEvent[], copies: number): SentEvent[][] {
  const requests: SentEvent[][] = [];
  for (let at = 0, run = 0; at < events.length; at += RUN_EVENTS, run++) {
    const ofRun = events.slice(at, at + RUN_EVENTS);
    if (run % SINGLES_EVERY === 0) requests.push(...ofRun.map((event) => [event]));
    else requests.push(ofRun);
  }
  if (copies === 1) return requests;
  const random = randomFrom(SEED);
  const all = Array.from({ length: copies }, () => requests.map((one) => shuffled(one, random)));
  return shuffled(all.flat(), random);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

async function post(store: StoreClient, events: readonly SentEvent[]): Promise<Answer | undefined> {
  const texts = events.map(({ text }) => text);
  try {
    return texts.length === 1
      ? await store.post('/api/v1/lineage', texts.join())
      : await store.post('/api/v1/lineage/batch', `[${texts.join()}]`);
  } catch {
    return undefined;
  }
}

function receiptsOf({ status, json }: Answer): Array<{ receiptId: string; index: number }> {
  if (status === 201) return [{ receiptId: json.receiptId, index: 0 }];
  return status === 200 ? json.receipts : [];
}

function waitMillis(answer: Answer | undefined): number {
  const seconds = Number(answer?.headers.get('retry-after'));
  return seconds > 0 ? seconds * 1_000 : WAIT_MILLIS;
}
