import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Envelope } from '../../lambdas/domain/evidence/envelope.ts';
import {
  type AwsFaultProxy,
  answerLost,
  broken,
  denied,
  type FaultPlan,
  kmsBroken,
  nameOf,
  partlyRefused,
  randomFrom,
  startAwsFaultProxy,
  throttled,
  throttledByKms,
} from '../support/aws-fault-proxy.ts';
import { changeVariables } from '../support/function-variables.ts';
import { type Answer, StoreClient } from '../support/store-client.ts';

const SENDERS = 20;
// 5,000 events, most of them in batches: what takes time on the emulator is the request, not the event.
const SINGLES = 500;
const BATCHES = 50;
const BATCH_ITEMS = 90;
const SEED = 20_261_129;

/** Four puts in ten are hit, so that some requests lose all three tries of the publisher. */
const PLAN: FaultPlan = {
  PutRecords: [
    [throttled, 0.12],
    [broken, 0.06],
    [partlyRefused, 0.12],
    [answerLost, 0.1],
  ],
  // Asked until it answers, once for each container.
  Decrypt: [
    [throttledByKms, 0.2],
    [kmsBroken, 0.15],
    [denied, 0.15],
    [answerLost, 0.15],
  ],
};

/** Share of the answers that a sender never sees: it sends again what is accepted already. */
const UNHEARD = 0.03;
/** Clients wait the two seconds of Retry-After; what is shown here does not depend on it. */
const WAIT_MILLIS = 100;
/** Each try fails with the odds of the plan; more than this is no chance any more. */
const MAX_TRIES = 40;
/** How often runs are read back through the API, which is slow on the emulator. */
const RUNS_READ = 20;
/** A bound for a hang: a shared machine may take minutes. */
const STORED_WITHIN_MILLIS = 600_000;
const TEST_MILLIS = 900_000;

/** An event as its sender has it: the exact text, and every receipt that it was told. */
interface Sent {
  readonly runId: string;
  readonly text: string;
  readonly receipts: string[];
}

describe('under load and faults', () => {
  const store = new StoreClient(inject('environment'));
  const { endpointUrl, functions, buckets } = store.environment;
  const statuses = new Set<number>();
  let proxy: AwsFaultProxy;
  let restore: () => Promise<void>;

  beforeAll(async () => {
    proxy = await startAwsFaultProxy(endpointUrl, PLAN, SEED);
    restore = await changeVariables(store.clients, functions.ingest, {
      AWS_ENDPOINT_URL_KINESIS: proxy.endpointUrl,
      AWS_ENDPOINT_URL_KMS: proxy.endpointUrl,
    });
  });
  afterAll(async () => {
    await restore?.();
    await proxy?.close();
  });

  it(
    'stores all that it accepted, and counts as deliveries what came again',
    async () => {
      const events = Array.from({ length: SINGLES + BATCHES * BATCH_ITEMS }, (_, n) => newEvent(n));
      const requests = requestsOf(events);
      await Promise.all(Array.from({ length: SENDERS }, (_, n) => sendAll(requests, n)));

      expect([...statuses].sort()).toEqual([200, 201, 503]);
      for (const [action, faults] of Object.entries(PLAN)) {
        for (const [fault] of faults) {
          expect(proxy.counts.get(`${action}: ${nameOf(fault)}`) ?? 0).toBeGreaterThan(0);
        }
      }

      const stored = await storedReceipts(events);
      expect(events.filter(({ receipts }) => receipts.length === 0)).toEqual([]);
      // The receipts of answers that nobody heard are stored as well.
      const again = events.filter(({ runId }) => (stored.get(runId)?.size ?? 0) > 1);
      expect(again.length).toBeGreaterThan(RUNS_READ);
      for (const { runId } of [...again.slice(0, RUNS_READ), ...events.slice(0, RUNS_READ)]) {
        const deliveries = stored.get(runId)?.size;
        const { json } = await store.until(
          `/api/v1/runs/${runId}`,
          (answer) => answer.json.events[0]?.deliveries === deliveries,
        );
        expect(json.events).toHaveLength(1);
      }
    },
    TEST_MILLIS,
  );

  function newEvent(n: number): Sent {
    const runId = randomUUID();
    // Without datasets: index rows are what the emulator is slowest at.
    const text = `{"eventType":"START","eventTime":"2026-11-29T10:00:00Z","producer":"https://p","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent","run":{"runId":"${runId}"},"job":{"namespace":"load","name":"job ${n}"}, "n":${n}.0}`;
    return { runId, text, receipts: [] };
  }

  /** Single events and batches in turns, so that senders have both in flight. */
  function requestsOf(events: readonly Sent[]): Sent[][] {
    const left = [...events];
    return Array.from({ length: SINGLES + BATCHES }, (_, n) =>
      left.splice(0, n % (SINGLES / BATCHES + 1) === 0 ? BATCH_ITEMS : 1),
    );
  }

  async function sendAll(requests: Sent[][], sender: number): Promise<void> {
    const random = randomFrom(SEED + sender);
    for (let request = requests.shift(); request; request = requests.shift()) {
      await send(request, random);
    }
  }

  /** Sends until all is accepted: the same bytes again, of a batch that was answered only what is retriable. */
  async function send(request: readonly Sent[], random: () => number): Promise<void> {
    let left = request;
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === MAX_TRIES) throw new Error(`not accepted after ${tries} tries`);
      if (tries > 0) await sleep(WAIT_MILLIS * random());
      const answer = await post(left);
      statuses.add(answer.status);
      if (random() < UNHEARD) continue;
      for (const [receiptId, event] of receiptsOf(answer, left)) event.receipts.push(receiptId);
      left = left.filter(({ receipts }) => receipts.length === 0);
    }
  }

  function post(events: readonly Sent[]): Promise<Answer> {
    const texts = events.map(({ text }) => text);
    return texts.length === 1
      ? store.post('/api/v1/lineage', texts.join())
      : store.post('/api/v1/lineage/batch', `[${texts.join()}]`);
  }

  function receiptsOf({ status, json }: Answer, events: readonly Sent[]): Array<[string, Sent]> {
    if (status === 503) return [];
    const receipts: Array<{ receiptId: string; index: number }> =
      status === 201 ? [{ receiptId: json.receiptId, index: 0 }] : json.receipts;
    return receipts.map(({ receiptId, index }) => [receiptId, events[index] as Sent]);
  }

  /**
   * By run, the receipts under which its event lies in the vault, read through S3 alone, once every
   * receipt that was told lies there. Deliveries of a run share a shard and the last was told, so none is still on its way.
   */
  async function storedReceipts(
    events: readonly Sent[],
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const byText = new Map(events.map((event) => [event.text, event]));
    const missing = new Set(events.flatMap(({ receipts }) => receipts));
    const stored = new Map<string, Set<string>>(events.map(({ runId }) => [runId, new Set()]));
    const read = new Set<string>();
    const deadline = Date.now() + STORED_WITHIN_MILLIS;
    while (missing.size > 0) {
      if (Date.now() > deadline) throw new Error(`${missing.size} accepted events are not stored`);
      await sleep(500);
      for (const version of await store.versions(buckets.vault, 'lineage/')) {
        if (read.has(version.versionId)) continue;
        read.add(version.versionId);
        const object = await store.object({ bucket: buckets.vault, ...version });
        for (const line of gunzipSync(object).toString('utf8').trimEnd().split('\n')) {
          const { receiptId, document } = JSON.parse(line) as Envelope;
          const event = byText.get(document);
          if (!event) continue;
          stored.get(event.runId)?.add(receiptId);
          missing.delete(receiptId);
        }
      }
    }
    return stored;
  }
});
