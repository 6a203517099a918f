import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeEmulator } from '../bin/evidence/deployment.ts';
import { environments } from '../lib/config/environments.ts';
import type { Environment } from '../localstack/environment.ts';
import { runEvent } from '../test/support/events.ts';
import { StoreClient } from '../test/support/store-client.ts';
import type { Benchmark } from './benchmark.ts';
import { withEnvironment } from './environment.ts';
import { quantile } from './statistics.ts';

/** A modest rate: below what the emulator can do on two cores, so that nothing queues. */
const EVENTS = 40;
const POST_EVERY_MILLIS = 400;
/** How exactly the moment is known; polling more often would load the emulator that is measured. */
const POLL_MILLIS = 50;
/** Every function has started by then. */
const WARM_UP_EVENTS = 2;
const READABLE_WITHIN_MILLIS = 30_000;

const WINDOW_MILLIS = environments.local.archive.windowSeconds * 1_000;

interface Passage {
  readonly healthMillis: number;
  readonly postMillis: number;
  readonly readableMillis: number;
}

/** From the 201 until the receipt is answered with 200, through every function on the emulator. */
export const path: Benchmark = {
  summary: 'accepted until readable on the emulator (starts one when none runs: a minute more)',

  run: () =>
    withEnvironment(async (environment) => {
      const passages = await measure(environment);
      const health = passages.map(({ healthMillis }) => healthMillis);
      const floor = quantile(health, 0.5) + WINDOW_MILLIS;
      const row = (step: string, millis: readonly number[]) => {
        const p50Millis = quantile(millis, 0.5);
        const p99Millis = quantile(millis, 0.99);
        return {
          step,
          p50Millis,
          p99Millis,
          p50Ratio: p50Millis / floor,
          p99Ratio: p99Millis / floor,
        };
      };
      return {
        emulator: describeEmulator(environment.emulator),
        rows: [
          row('GET /health', health),
          row(
            'POST until 201',
            passages.map(({ postMillis }) => postMillis),
          ),
          row(
            '201 until readable',
            passages.map(({ readableMillis }) => readableMillis),
          ),
        ],
        notes: [
          `${EVENTS} events, one every ${POST_EVERY_MILLIS} ms, polled every ${POLL_MILLIS} ms; with so few the p99 is the slowest one or two`,
          `floor: a median round trip of GET /health in this run and the batch window of ${WINDOW_MILLIS} ms (${Math.round(floor)} ms); an event waits for the rest of its window, and the local runner looks for records every 500 ms when it is idle`,
        ],
      };
    }),
};

async function measure(environment: Environment): Promise<Passage[]> {
  const store = new StoreClient(environment);
  for (let i = 0; i < WARM_UP_EVENTS; i++) await pass(store);
  const passages: Array<Promise<Passage>> = [];
  for (let i = 0; i < EVENTS; i++) {
    passages.push(pass(store));
    await sleep(POST_EVERY_MILLIS);
  }
  return Promise.all(passages);
}

/** One event on its way: health, post, poll. */
async function pass(store: StoreClient): Promise<Passage> {
  const started = performance.now();
  await store.get('/health', '');
  const asked = performance.now();
  const event = runEvent({ job: { namespace: 'bench', name: `path ${randomUUID()}` } });
  const { status, json } = await store.post('/api/v1/lineage', JSON.stringify(event));
  if (status !== 201) throw new Error(`the event was refused with ${status}`);
  const accepted = performance.now();
  while ((await store.get(`/api/v1/events/${json.receiptId}`)).status !== 200) {
    if (performance.now() - accepted > READABLE_WITHIN_MILLIS) {
      throw new Error('an accepted event did not become readable');
    }
    await sleep(POLL_MILLIS);
  }
  return {
    healthMillis: asked - started,
    postMillis: accepted - asked,
    readableMillis: performance.now() - accepted,
  };
}
