import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type AwsFault,
  type AwsFaultProxy,
  answerLost,
  badDigest,
  invalidArgument,
  keyDisabled,
  nameOf,
  neverAnswered,
  s3Broken,
  slowDown,
  startAwsFaultProxy,
  throttled,
} from '../support/aws-fault-proxy.ts';
import { runEvent } from '../support/events.ts';
import { changeTimeout, changeVariables } from '../support/function-variables.ts';
import { StoreClient } from '../support/store-client.ts';

const SEED = 20_261_130;
const EVENTS = 200;

/** A failed redrive is tried again after this long, instead of the half hour of the template. */
const VISIBILITY_SECONDS = 5;
const VISIBILITY_OF_TEMPLATE_SECONDS = 1_800;

/** Of the puts of archive and the rows after them: the SDK tries three times, the event source six. */
const PASSING: Record<string, ReadonlyArray<readonly [AwsFault, number]>> = {
  'PutObject lineage': [
    [slowDown, 0.1],
    [s3Broken, 0.1],
    [badDigest, 0.1],
    [keyDisabled, 0.1],
    [answerLost, 0.15],
  ],
  PutItem: [
    [throttled, 0.03],
    [answerLost, 0.03],
  ],
};

/** Less than the tries of one call to a table that never answers: the function is ended in the middle of them. */
const KILLED_AFTER_SECONDS = 3;

const WITHIN_MILLIS = 90_000;
const TEST_MILLIS = 180_000;

/** The function is led through a proxy to S3 and to the table; the plan is what these do meanwhile. */
describe('archive', { timeout: TEST_MILLIS }, () => {
  const store = new StoreClient(inject('environment'));
  const { buckets, endpointUrl, functions, queues } = store.environment;
  const plan: Record<string, ReadonlyArray<readonly [AwsFault, number]>> = {};
  let proxy: AwsFaultProxy;
  let restore: () => Promise<void>;

  const setVisibility = (seconds: number) =>
    store.clients.sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl: queues.lineageFailures,
        Attributes: { VisibilityTimeout: `${seconds}` },
      }),
    );
  const fail = (faults: typeof plan) => Object.assign(plan, faults);
  const recover = () => {
    for (const action of Object.keys(plan)) delete plan[action];
  };
  const hits = (action: string, fault: AwsFault) =>
    proxy.counts.get(`${action}: ${nameOf(fault)}`) ?? 0;
  const until = async (what: string, reached: () => boolean | Promise<boolean>) => {
    const deadline = Date.now() + WITHIN_MILLIS;
    while (!(await reached())) {
      if (Date.now() > deadline) throw new Error(`not reached: ${what}`);
      await sleep(250);
    }
  };
  const post = async (runId: string) =>
    (await store.post('/api/v1/lineage', JSON.stringify(runEvent({ run: { runId } })))).json
      .receiptId as string;

  beforeAll(async () => {
    proxy = await startAwsFaultProxy(endpointUrl, plan, SEED);
    restore = await changeVariables(store.clients, functions.archive, {
      AWS_ENDPOINT_URL_S3: proxy.endpointUrl,
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpointUrl,
    });
    await setVisibility(VISIBILITY_SECONDS);
  });
  afterEach(recover);
  afterAll(async () => {
    await setVisibility(VISIBILITY_OF_TEMPLATE_SECONDS);
    await restore?.();
    await proxy?.close();
  });

  it('has each event once when S3 and the table fail, and when their answers are lost', async () => {
    fail(PASSING);
    const runIds = Array.from({ length: EVENTS }, () => randomUUID());
    const batch = runIds.map((runId) => runEvent({ run: { runId } }));
    const { status, json } = await store.post('/api/v1/lineage/batch', JSON.stringify(batch));
    expect([status, json.receipts.length]).toEqual([200, EVENTS]);

    for (const { receiptId } of json.receipts) await store.stored(receiptId);
    // Rows are a thousand calls, objects a handful: which of the faults meet one of these is chance.
    for (const fault of [throttled, answerLost]) expect(hits('PutItem', fault)).toBeGreaterThan(0);
    recover();
    for (const runId of runIds) {
      const { json: run } = await store.until(
        `/api/v1/runs/${runId}`,
        (answer) => answer.json.events.length > 0,
      );
      expect(run.events).toMatchObject([{ deliveries: 1 }]);
      expect(run.findings).toEqual([]);
    }
  });

  it.each([
    ['S3 is away', slowDown],
    ['the key of the vault is disabled', keyDisabled],
  ])('loses nothing while %s for longer than all its tries', async (_, fault) => {
    fail({ 'PutObject lineage': [[fault, 1]] });
    const before = hits('PutObject lineage', fault);
    const runId = randomUUID();
    const receiptId = await post(runId);
    const tries = await triesUntilGivenUp();
    expect(hits('PutObject lineage', fault) - before).toBeGreaterThan(tries);
    expect((await store.get(`/api/v1/events/${receiptId}`)).json.status).toBe('pending');

    recover();
    await store.stored(receiptId);
    expect((await store.get(`/api/v1/runs/${runId}`)).json.findings).toEqual([]);
  });

  it('has an event once that was put when the function was killed before its rows', async () => {
    const undo = await changeTimeout(store.clients, functions.archive, KILLED_AFTER_SECONDS);
    const before = proxy.counts.get('PutObject lineage') ?? 0;
    fail({ PutItem: [[neverAnswered, 1]] });
    const runId = randomUUID();
    const receiptId = await post(runId);
    await until('it is put, and tried again', () => {
      return (proxy.counts.get('PutObject lineage') ?? 0) - before > 1;
    });
    expect((await store.get(`/api/v1/events/${receiptId}`)).json.status).toBe('pending');

    recover();
    await undo();
    const { location } = (await store.stored(receiptId)).json;
    const { json: run } = await store.until(
      `/api/v1/runs/${runId}`,
      (answer) => answer.json.events.length > 0,
    );
    expect(run).toMatchObject({ events: [{ deliveries: 1 }], findings: [] });
    expect(await store.versions(buckets.vault, location.key)).toHaveLength(1);
  });

  it('names a record that S3 will not take, and goes on', async () => {
    fail({ 'PutObject lineage': [[invalidArgument, 1]] });
    const receiptId = await post(randomUUID());
    await until(
      'it is named',
      async () => (await store.get(`/api/v1/events/${receiptId}`)).json.status === 'quarantined',
    );
    recover();
    const findings = await store.versions(buckets.vault, 'findings/');
    const about = await Promise.all(
      findings.map(async ({ key, versionId }) =>
        JSON.parse((await store.object({ bucket: buckets.vault, key, versionId })).toString()),
      ),
    );
    expect(about.filter(({ subject }) => subject === receiptId)).toMatchObject([
      { kind: 'accepted_not_stored', status: 'confirmed', detail: { reason: 's3_refused' } },
    ]);
    await store.stored(await post(randomUUID()));
  });

  /** Waits until the event source has given the batch up and redrive has tried it once. */
  async function triesUntilGivenUp(): Promise<number> {
    // 6 tries of the event source; redrive comes after them
    const tries = 6;
    const before = proxy.counts.get('PutObject lineage') ?? 0;
    await until('redrive tries it', () => {
      return (proxy.counts.get('PutObject lineage') ?? 0) - before > tries;
    });
    return tries;
  }
});
