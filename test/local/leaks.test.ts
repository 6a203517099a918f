import { randomUUID } from 'node:crypto';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { describe, expect, inject, it } from 'vitest';
import { runEvent, span, spanExport } from '../support/events.ts';
import { findEverywhere } from '../support/everything-stored.ts';
import { localLogs } from '../support/local-logs.ts';
import { StoreClient } from '../support/store-client.ts';

/** Looks like nothing that a detector knows, so that only the place it stands in can give it away. */
const CANARY = `zq${randomUUID().replaceAll('-', '').slice(0, 14)}`;

describe('a secret in a sensitive place', () => {
  const store = new StoreClient(inject('environment'));
  const { environment, clients } = store;

  it('reaches no object, no row, no log and no answer', async () => {
    const runId = randomUUID();
    const facets = {
      errorMessage: { message: CANARY, programmingLanguage: 'SQL', stackTrace: `at ${CANARY}` },
      environmentVariables: { environmentVariables: [{ name: 'HOME', value: CANARY }] },
      'spark.logicalPlan': { plan: [{ literal: CANARY }] },
      parent: {
        run: { runId, facets: { sql: { query: CANARY } } },
        job: { namespace: 'n', name: 'j' },
      },
      custom: { password: CANARY, note: `postgres://u:${CANARY}@db/x`, deep: [{ query: CANARY }] },
    };
    const jobFacets = {
      sql: { query: `select '${CANARY}'` },
      sourceCode: { language: 'py', sourceCode: CANARY },
    };
    const stored = await store.store(
      runEvent({ run: { runId, facets }, job: { namespace: 'n', name: 'j', facets: jobFacets } }),
    );
    const secretSpan = span(
      {
        status: { code: 2, message: CANARY },
        traceState: `a=${CANARY}`,
        name: `select '${CANARY}' from t`,
      },
      runId,
    );
    (secretSpan.attributes as unknown[]).push({
      key: 'db.query.text',
      value: { stringValue: CANARY },
    });
    expect(
      (await store.post('/v1/traces', JSON.stringify(spanExport(secretSpan)), 'traces')).status,
    ).toBe(200);

    const refusals = await Promise.all([
      store.post('/api/v1/lineage', `{"${CANARY}`),
      store.post('/api/v1/lineage', JSON.stringify({ [CANARY]: 1 })),
      store.post('/api/v1/lineage/batch', `{"${CANARY}`),
      store.post('/v1/traces', `{"${CANARY}`, 'traces'),
      store.post('/api/v1/lineage', '{}', `ev_${CANARY}`),
      store.get(`/api/v1/runs/${randomUUID()}?submitter=x`),
      store.get('/api/v1/nothing'),
    ]);
    await clients.kinesis.send(
      new PutRecordsCommand({
        StreamName: environment.streams.lineage,
        Records: [
          { PartitionKey: runId, Data: Buffer.from(`{"record":1,"x":"${CANARY}"}\n${CANARY}`) },
        ],
      }),
    );
    const trace = await store.until(
      `/api/v1/traces/${secretSpan.traceId}`,
      ({ json }) => json.deliveries.length > 0,
    );
    const run = await store.until(`/api/v1/runs/${runId}`, ({ json }) => json.traces.length > 0);
    // The poison was put last: once what follows it is stored, it has been through.
    await store.store(runEvent({ run: { runId } }));

    for (const { text } of [...refusals, trace, run, stored]) expect(text).not.toContain(CANARY);
    const { hits, searched } = await findEverywhere(environment, [CANARY], localLogs());
    for (const kind of ['object', 'row', 'log'] as const) expect(searched[kind]).toBeGreaterThan(4);
    // The streams hold bodies as they came: that they are found there tells that the search works.
    expect(hits).not.toEqual([]);
    expect(hits.filter(({ kind }) => kind !== 'stream')).toEqual([]);
  });
});
