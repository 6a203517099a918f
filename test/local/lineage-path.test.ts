import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { sha256Hex } from '../../lambdas/domain/store-key.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

describe('a lineage event', () => {
  const store = new StoreClient(inject('environment'));

  it('comes back byte for byte through the API and through S3', async () => {
    // Odd spacing, number spellings and key order are the producer's and stay.
    const runId = randomUUID();
    const text = `{ "run":{"runId":"${runId}","facets":{"x_custom":{"n":1.50e2,"big":9007199254740993,"nan":NaN}}},\n\t"eventType" : "START","eventTime":"2026-11-29T10:00:00.123456789Z","job":{"name":"j\\u00e9","namespace":"n"},"producer":"https://p","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent" }`;
    const { json: envelope } = await store.store(text);

    const document = await store.get(`/api/v1/events/${envelope.receiptId}/document`);
    expect(document.text).toBe(text);
    const line = await store.line(envelope.location);
    expect(line.document).toBe(text);
    expect(line.digest).toBe(sha256Hex(text));
    expect(line.redaction.fields).toEqual([]);
  });

  it('is locked, checked and written once', async () => {
    const { json } = await store.store(runEvent());
    expect(json.location.key).toMatch(
      /^lineage\/class=standard\/dt=\d{4}-\d\d-\d\d\/hour=\d\d\/shardId-\d+-\d+-[0-9a-f]{64}\.ndjson\.gz$/,
    );
    const lock = await store.lockOf(json.location);
    expect(lock?.Mode).toBe('GOVERNANCE');
    // Period 1 day and slack 35 days, counted from acceptance, up to the next midnight.
    const days = (Number(lock?.RetainUntilDate) - Date.parse(json.acceptedAt)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(36);
    expect(days).toBeLessThanOrEqual(37);
    expect(Number(lock?.RetainUntilDate) % 86_400_000).toBe(0);
    expect(await store.versions(json.location.bucket, json.location.key)).toHaveLength(1);
  });

  it('is readable as a run with everything that was declared', async () => {
    const runId = randomUUID();
    const parent = { run: { runId: randomUUID() }, job: { namespace: 'tests', name: 'parent' } };
    const run = { runId, facets: { parent } };
    await store.store(runEvent({ run }));
    await store.store(runEvent({ run, eventType: 'COMPLETE', eventTime: '2026-11-29T10:00:05Z' }));

    const { json } = await store.until(
      `/api/v1/runs/${runId}`,
      ({ json }) => json.events.length === 2,
    );
    expect(json).toMatchObject({
      runId,
      state: 'COMPLETE',
      startedAt: '2026-11-29T10:00:00.000000000Z',
      endedAt: '2026-11-29T10:00:05.000000000Z',
      job: { namespace: 'tests', name: 'a_job' },
      parent: { runId: parent.run.runId, held: false, assertedBy: 'caller' },
      inputs: [{ namespace: 'postgres://db:5432', name: 'shop.public.orders' }],
      outputs: [{ namespace: 'postgres://db:5432', name: 'shop.public.totals' }],
      retention: { class: 'standard', mode: 'GOVERNANCE', legalHold: false, from: 'bucket' },
      integrity: { status: 'pending' },
    });
    expect((await store.get(`/api/v1/run?runId=${runId.toUpperCase()}`)).json.runId).toBe(runId);
    const referenced = await store.get(`/api/v1/runs/${parent.run.runId}`);
    expect(referenced.json).toMatchObject({
      state: 'NOT_HELD',
      referredToBy: [{ by: 'parent', from: runId }],
    });
  });

  it('counts deliveries of the same bytes, and knows which came first', async () => {
    const event = runEvent();
    const first = await store.store(event);
    const second = await store.store(event);
    const { runId } = event.run as { runId: string };
    const { json } = await store.until(
      `/api/v1/runs/${runId}`,
      ({ json }) => json.events[0]?.deliveries === 2,
    );
    expect(json.events).toHaveLength(1);
    const again = await store.get(`/api/v1/events/${second.json.receiptId}`);
    expect(again.json.duplicateOf).toBe(first.json.receiptId);
  });

  it.each([
    ['gzip with the header', { 'content-encoding': 'gzip' }],
    ['gzip without the header', {}],
  ])('is taken compressed: %s', async (_, headers) => {
    const event = JSON.stringify(runEvent());
    const posted = await store.post(
      '/api/v1/lineage',
      gzipSync(event),
      'lineage',
      headers as Record<string, string>,
    );
    expect(posted.status).toBe(201);
    await store.stored(posted.json.receiptId);
    expect((await store.get(`/api/v1/events/${posted.json.receiptId}/document`)).text).toBe(event);
  });

  it.each([
    ['job', { job: { namespace: 'tests', name: 'declared' } }],
    ['dataset', { dataset: { namespace: 'postgres://db:5432', name: 'shop.public.orders' } }],
  ])('may be a %s event', async (kind, entity) => {
    const name = kind === 'job' ? 'JobEvent' : 'DatasetEvent';
    const { json } = await store.store({
      eventTime: '2026-11-29T10:00:00Z',
      producer: 'https://example.com/producer',
      schemaURL: `https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/${name}`,
      ...entity,
    });
    expect(json.kind).toBe(kind);
    expect((await store.line(json.location)).kind).toBe(kind);
  });

  it('is judged alone in a batch', async () => {
    const good = runEvent();
    const posted = await store.post(
      '/api/v1/lineage/batch',
      JSON.stringify([good, { no: 'event' }, runEvent()]),
    );
    expect(posted.status).toBe(200);
    expect(posted.json).toMatchObject({
      status: 'partial_success',
      summary: { received: 3, successful: 2, failed: 1, retriable: 0, non_retriable: 1 },
      failed_events: [{ index: 1, retriable: false }],
    });
    for (const { receiptId } of posted.json.receipts) await store.stored(receiptId);
    expect(
      (await store.get(`/api/v1/runs/${(good.run as { runId: string }).runId}`)).json.events,
    ).toHaveLength(1);
  });
});
