import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { runEvent, span, spanExport } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const CANARY = 'canary-55b1c0ffee';

describe('a trace', () => {
  const store = new StoreClient(inject('environment'));
  const { vault, staging } = store.environment.buckets;

  const send = async (spans: Record<string, unknown>) => {
    const answer = await store.post('/v1/traces', JSON.stringify(spanExport(spans)), 'traces');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ partialSuccess: {} });
  };
  const held = (traceId: string, deliveries: number) =>
    store.until(`/api/v1/traces/${traceId}`, ({ json }) => json.deliveries.length === deliveries);

  it('with a run id is locked in the vault and linked to the run', async () => {
    const runId = randomUUID();
    const governed = span({}, runId);
    await send(governed);
    const { json } = await held(governed.traceId as string, 1);
    const [delivery] = json.deliveries;
    expect(delivery.location.bucket).toBe(vault);
    expect((await store.lockOf(delivery.location))?.Mode).toBe('GOVERNANCE');
    expect(json.runs).toMatchObject([{ runId, held: false, basis: 'one-way' }]);
    const { receiptId } = delivery;
    expect((await store.get(`/api/v1/events/${receiptId}`)).json).toMatchObject({
      ...{ status: 'stored', kind: 'trace', receiptId },
    });
    expect((await store.get(`/api/v1/runs/${runId}`)).json).toMatchObject({
      state: 'NOT_HELD',
      referredToBy: [{ by: 'span', from: governed.traceId }],
    });
  });

  it('without one waits in staging, unlocked', async () => {
    const ungoverned = span();
    await send(ungoverned);
    const { json } = await held(ungoverned.traceId as string, 1);
    expect(json.deliveries[0].location.bucket).toBe(staging);
    expect(json.deliveries[0].retention).toBeUndefined();
    expect(json.qualifications.map(({ code }: { code: string }) => code)).toContain(
      'trace_in_staging',
    );
  });

  it('that a run names is promoted, whichever came first', async () => {
    for (const runFirst of [true, false]) {
      const named = span();
      const runId = randomUUID();
      const context = { traceId: named.traceId, spanId: named.spanId };
      const event = runEvent({ run: { runId, facets: { bearingnode_traceContext: context } } });
      if (runFirst) await store.store(event);
      await send(named);
      if (!runFirst) {
        await held(named.traceId as string, 1);
        await store.store(event);
      }
      const { json } = await store.until(
        `/api/v1/traces/${named.traceId}`,
        ({ json }) => json.deliveries[0]?.location.bucket === vault,
      );
      expect(await store.lockOf(json.deliveries[0].location)).toMatchObject({ Mode: 'GOVERNANCE' });
      expect((await store.line(json.deliveries[0].location)).document).toContain(named.spanId);
      expect(json.runs).toMatchObject([{ runId, held: true, basis: 'one-way' }]);
    }
  });

  it('and a run that name each other are mutual', async () => {
    const runId = randomUUID();
    const both = span({}, runId);
    const context = { traceId: both.traceId, spanId: both.spanId };
    await store.store(runEvent({ run: { runId, facets: { bearingnode_traceContext: context } } }));
    await send(both);
    const { json } = await held(both.traceId as string, 1);
    expect(json.runs).toMatchObject([{ runId, held: true, basis: 'mutual', spanId: both.spanId }]);
    const run = await store.get(`/api/v1/runs/${runId}`);
    expect(run.json.traces).toMatchObject([
      { traceId: both.traceId, basis: 'mutual', governed: true },
    ]);
  });

  it('keeps 64-bit numbers and ids, and nothing of what was sensitive', async () => {
    const secret = span({
      attributes: [
        { key: 'lineage.run_id', value: { stringValue: randomUUID() } },
        { key: 'db.query.text', value: { stringValue: `select '${CANARY}'` } },
        { key: 'rows', value: { intValue: 'BIG' } },
      ],
      events: [
        {
          name: 'exception',
          timeUnixNano: '1795860000500000000',
          attributes: [
            { key: 'exception.type', value: { stringValue: 'UniqueViolation' } },
            { key: 'exception.message', value: { stringValue: `Key (email)=(${CANARY})` } },
          ],
        },
      ],
      status: { code: 2, message: CANARY },
    });
    const body = JSON.stringify(spanExport(secret)).replace('"BIG"', '9007199254740993');
    expect((await store.post('/v1/traces', body, 'traces')).status).toBe(200);
    const { json, text } = await held(secret.traceId as string, 1);
    const line = await store.line(json.deliveries[0].location);
    for (const stored of [text, line.document, JSON.stringify(line)])
      expect(stored).not.toContain(CANARY);
    expect(text).toContain('9007199254740993');
    expect(text).toContain('UniqueViolation');
    expect(line.redaction.fields).toHaveLength(3);
  });
});
