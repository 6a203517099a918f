import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { describe, expect, inject, it } from 'vitest';
import { administrationOf, OPERATOR } from '../../bin/evidence/administration.ts';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import { DynamoUsage } from '../../lambdas/adapters/dynamo-usage.ts';
import type { RejectionReport } from '../../lambdas/domain/audit/rejection-report.ts';
import { registerProducer } from '../../lambdas/domain/producers/change-producer.ts';
import { WINDOW_MILLIS, windowCapacity } from '../../lambdas/domain/producers/rate-limit.ts';
import type { Registration } from '../../lambdas/domain/producers/registration.ts';
import type { RejectionsAnswer } from '../../lambdas/report-rejections/handler.ts';
import { localPaths } from '../../localstack/paths.ts';
import { registration } from '../support/builders.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { type Answer, StoreClient } from '../support/store-client.ts';

const store = new StoreClient(inject('environment'));
const { environment, clients } = store;

async function registered(overrides: Partial<Registration>) {
  const producerId = `usage-${randomUUID()}`;
  const { key } = await registerProducer(
    registration({ producerId, group: producerId, ...overrides }),
    OPERATOR,
    administrationOf(environment).producers,
  );
  return { producerId, key: key as string };
}

describe('what is refused for good', () => {
  const CANARY = `zq${randomUUID().replaceAll('-', '').slice(0, 14)}`;

  const report = async (request: Record<string, string>): Promise<RejectionsAnswer['reports']> => {
    const answer = await clients.lambda.send(
      new InvokeCommand({
        FunctionName: environment.functions.reportRejections,
        Payload: JSON.stringify(request),
      }),
    );
    expect(answer.FunctionError).toBeUndefined();
    return (JSON.parse(Buffer.from(answer.Payload ?? []).toString()) as RejectionsAnswer).reports;
  };

  it('stands in a locked report, by producer and rule, without a byte of it', async () => {
    const from = new Date().toISOString();
    const [sender, reader] = await Promise.all([registered({}), registered({ scopes: ['read'] })]);
    const bad = { ...runEvent(), run: { [CANARY]: 1 } };
    const badSpan = span({ spanId: CANARY, name: CANARY });
    const lineage = '/api/v1/lineage';
    const requests: Array<[string, string | Uint8Array, string, number]> = [
      [lineage, JSON.stringify(bad), sender.key, 400],
      [lineage, gzipSync(JSON.stringify(bad)), sender.key, 400],
      [lineage, JSON.stringify({ [CANARY]: 1 }), sender.key, 400],
      [lineage, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), sender.key, 400],
      [lineage, JSON.stringify(runEvent({ [CANARY]: 'x'.repeat(4_600_000) })), sender.key, 413],
      [lineage, JSON.stringify(runEvent()), reader.key, 403],
      [`${lineage}/batch`, JSON.stringify([bad, runEvent(), bad, CANARY]), sender.key, 200],
      ['/v1/traces', JSON.stringify(spanExport(badSpan)), sender.key, 400],
      ['/v1/traces', JSON.stringify({ resourceSpans: { [CANARY]: 1 } }), sender.key, 400],
      // Not counted: nobody is known to have sent it, and this one was taken.
      [lineage, JSON.stringify(bad), `${sender.key}0`, 401],
      [lineage, JSON.stringify(runEvent()), sender.key, 201],
    ];
    for (const [path, body, key, status] of requests) {
      expect([path, (await store.post(path, body, key)).status]).toEqual([path, status]);
    }

    const filed = await report({ from, to: new Date().toISOString() });
    const documents: RejectionReport[] = [];
    for (const { location, status } of filed) {
      const text = (await store.object(location)).toString();
      expect(text).not.toContain(CANARY);
      expect(await store.lockOf(location)).toMatchObject({ Mode: 'GOVERNANCE' });
      documents.push(JSON.parse(text));
      expect(documents.at(-1)).toMatchObject({ kind: 'rejections', status });
    }
    const rows = documents.flatMap(({ rejections }) => rejections);
    const counted = (producerId: string) => {
      const sums: Record<string, number> = {};
      for (const row of rows.filter((one) => one.producerId === producerId)) {
        sums[row.rule] = (sums[row.rule] ?? 0) + row.refused;
      }
      return sums;
    };
    expect(counted(sender.producerId)).toEqual({
      required_string: 4,
      event_names_no_run_job_or_dataset: 1,
      not_utf8: 1,
      too_large: 1,
      event_is_not_an_object: 1,
      span_id_unreadable: 1,
      required_array: 1,
    });
    expect(counted(reader.producerId)).toEqual({ forbidden: 1 });
    const samples = rows.flatMap((row) => row.samples);
    expect(samples.length).toBeGreaterThan(5);
    const about = documents.flatMap(({ findings }) => findings).map(({ subject }) => subject);
    expect(about.join()).toContain(sender.producerId);

    const { Items = [] } = await clients.dynamodb.send(
      new ScanCommand({ TableName: environment.tables.usage }),
    );
    expect(JSON.stringify(Items)).toContain(sender.producerId);
    expect(JSON.stringify(Items)).not.toContain(CANARY);
    expect(readFileSync(localPaths(inject('localDir')).emulatorLog, 'utf8')).not.toContain(CANARY);
  });

  it('is reported for an hour in which nothing was, and once only', async () => {
    // Two days back: closed, and before anything was deployed here.
    const start = Math.floor(Date.now() / 3_600_000 - 48) * 3_600_000;
    const [from, to] = [start, start + 3_600_000].map((at) => new Date(at).toISOString());
    const request = { from: from as string, to: to as string };
    const first = await report(request);
    expect(first).toMatchObject([
      { from, to, status: 'complete', population: { refused: 0, producers: 0 } },
    ]);
    expect(await report(request)).toEqual(first);
    const { bucket, key } = first[0]?.location ?? { bucket: '', key: '' };
    expect(await store.versions(bucket, key)).toHaveLength(1);
  });

  it('is not reported for an hour whose counters may be gone', async () => {
    const { FunctionError } = await clients.lambda.send(
      new InvokeCommand({
        FunctionName: environment.functions.reportRejections,
        Payload: JSON.stringify({ from: '2020-01-01T00:00:00Z', to: '2020-01-01T01:00:00Z' }),
      }),
    );
    expect(FunctionError).toBeTruthy();
  });
});

describe('a producer with a limit', () => {
  const EVENTS_PER_SECOND = 1;
  const SENDERS = 4;
  const EVENTS_OF_EACH = 6;
  const COME_AGAIN = {
    status: 503,
    json: { detail: 'this key sends more events than it may; send the same request again' },
  };
  const capacity = windowCapacity(registration({ eventsPerSecond: EVENTS_PER_SECOND }));

  it('is asked to come again when other containers used up the window', async () => {
    const { key, producerId } = await registered({ eventsPerSecond: EVENTS_PER_SECOND });
    const leases = new DynamoUsage(new DynamoTable(clients.dynamodb, environment.tables.usage));
    // All windows of the next two minutes, which is longer than a test may take: no answer comes after them.
    const first = Math.floor(Date.now() / WINDOW_MILLIS) * WINDOW_MILLIS;
    for (let n = 0; n < 60; n++) {
      const windowStartMillis = first + n * WINDOW_MILLIS;
      const lease = { producerId, windowStartMillis, tokens: capacity, capacity };
      expect(await leases.lease(lease)).toBe(true);
    }
    const single = JSON.stringify(runEvent());
    const requests: Array<[string, string]> = [
      ['/api/v1/lineage', single],
      ['/api/v1/lineage/batch', `[${single}]`],
      ['/v1/traces', JSON.stringify(spanExport(span()))],
    ];
    for (const [path, body] of requests) {
      const answer = await store.post(path, body, key);
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '2']);
      if (path !== '/v1/traces') expect(answer).toMatchObject(COME_AGAIN);
    }
  });

  it('never has more accepted than a window holds, and all that was accepted is stored', async () => {
    const { key, producerId } = await registered({ eventsPerSecond: EVENTS_PER_SECOND });
    const send = async () => {
      const answers: Answer[] = [];
      for (let i = 0; i < EVENTS_OF_EACH; i++) {
        answers.push(await store.post('/api/v1/lineage', JSON.stringify(runEvent()), key));
      }
      return answers;
    };
    const answers = (await Promise.all(Array.from({ length: SENDERS }, send))).flat();
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) {
      expect(answer).toMatchObject(COME_AGAIN);
      expect(answer.headers.get('retry-after')).toBe('2');
    }
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted.length).toBeGreaterThan(0);
    const windows = new Map<number, number>();
    for (const { json } of accepted) {
      const window = Math.floor(Date.parse(json.acceptedAt) / WINDOW_MILLIS);
      windows.set(window, (windows.get(window) ?? 0) + 1);
      const stored = await store.stored(json.receiptId);
      expect(stored.json.submitter.producerId).toBe(producerId);
    }
    for (const events of windows.values()) expect(events).toBeLessThanOrEqual(capacity);
  });

  it('is refused for good when a batch may never fit', async () => {
    const { key } = await registered({ eventsPerSecond: EVENTS_PER_SECOND });
    const batch = JSON.stringify(Array.from({ length: 2 }, () => runEvent()));
    const answer = await store.post('/api/v1/lineage/batch', batch, key);
    expect(answer).toMatchObject({
      status: 400,
      json: { errors: [{ path: '$', rule: 'more_items_than_the_rate_limit_allows' }] },
    });
    const resourceSpans = [span(), span()].flatMap((one) => spanExport(one).resourceSpans);
    expect(await store.post('/v1/traces', JSON.stringify({ resourceSpans }), key)).toMatchObject({
      status: 400,
      json: { code: 3, message: expect.stringContaining('more_items_than_the_rate_limit_allows') },
    });
  });
});
