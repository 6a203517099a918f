import { randomUUID } from 'node:crypto';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { rebuildingOf } from '../../bin/evidence/rebuild-dependencies.ts';
import { rebuildDistributed } from '../../bin/evidence/rebuild-distributed.ts';
import { DynamoHoldIndex } from '../../lambdas/adapters/dynamo-hold-index.ts';
import { DynamoProducerDirectory } from '../../lambdas/adapters/dynamo-producer-directory.ts';
import { DynamoRunIndex } from '../../lambdas/adapters/dynamo-run-index.ts';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import {
  fileEpochKey,
  KmsEpochKeys,
  type WrappedEpochKey,
} from '../../lambdas/adapters/kms-epoch-keys.ts';
import { S3VersionInspector } from '../../lambdas/adapters/s3-version-inspector.ts';
import { encodeStreamRecord } from '../../lambdas/domain/evidence/stream-record.ts';
import {
  plannedPartitions,
  planRebuild,
  rebuildPlanned,
  reportRebuild,
} from '../../lambdas/domain/rebuild/rebuild-index.ts';
import { rebuildRegisters } from '../../lambdas/domain/rebuild/rebuild-registers.ts';
import { createHandler } from '../../lambdas/query/handler.ts';
import { HealthCheck } from '../../lambdas/query/health.ts';
import { clientConfig } from '../../localstack/aws.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { CONTEXT, producersWith, request } from '../support/http.ts';
import { createTableLike, dropTable } from '../support/own-tables.ts';
import { recorder } from '../support/recorder.ts';
import { StoreClient } from '../support/store-client.ts';

const HOUR_MILLIS = 3_600_000;

describe('an index and a producers table rebuilt from the vault', () => {
  const store = new StoreClient(inject('environment'));
  const { clients, environment } = store;
  const suffix = randomUUID().slice(0, 8);
  const tables = { index: `rebuilt-index-${suffix}`, producers: `rebuilt-producers-${suffix}` };
  const table = (name: keyof typeof tables) => new DynamoTable(clients.dynamodb, tables[name]);
  const index = new DynamoRunIndex(table('index'));
  const dependencies = rebuildingOf(environment);
  /** The hours that this file writes in; other files of the suite do, too. */
  const from = new Date(Date.now() - HOUR_MILLIS).toISOString();

  beforeAll(async () => {
    for (const name of ['index', 'producers'] as const) {
      await createTableLike(clients.dynamodb, environment.tables[name], tables[name]);
    }
  });
  afterAll(async () => {
    for (const name of Object.values(tables)) await dropTable(clients.dynamodb, name);
  });

  /** What the query function answers over the rebuilt tables. */
  const query = createHandler({
    ...{ index, reader: dependencies.index.reader, inspector: new S3VersionInspector(clients.s3) },
    holds: new DynamoHoldIndex(table('index')),
    epochKeys: new KmsEpochKeys(clients.kms, table('producers'), Date.now),
    registry: producersWith({ scopes: ['read'] }),
    authMode: 'bearer',
    health: new HealthCheck([], Date.now),
    clock: Date.now,
    logger: recorder().logger,
  });
  const answerOf = async (path: string) => {
    const event = request({
      ...{ httpMethod: 'GET', resource: '/api/v1/{proxy+}', path },
      pathParameters: { proxy: path.replace('/api/v1/', '') },
    });
    const { statusCode, body } = (await query(event, CONTEXT)) as APIGatewayProxyResult;
    return { status: statusCode, json: JSON.parse(body) };
  };

  /** Posts one of everything that is answered, and waits until all of it stands. */
  async function fill(): Promise<string[]> {
    const [parent, child, skewed] = [randomUUID(), randomUUID(), randomUUID()];
    const job = { namespace: 'rebuild', name: `job-${suffix}` };
    const both = span({}, child);
    const named = span();
    const contexts = (one: Record<string, unknown>) => ({
      bearingnode_traceContext: { traceId: one.traceId, spanId: one.spanId },
    });
    const declared = { ...runEvent({ job }) };
    for (const member of ['eventType', 'run']) delete declared[member];
    const schemaURL = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent';
    const spans = [both, named, span()];
    for (const one of spans) {
      await store.post('/v1/traces', JSON.stringify(spanExport(one)), 'traces');
    }
    const facets = { ...contexts(both), parent: { run: { runId: parent }, job } };
    const start = runEvent({ run: { runId: child, facets }, job });
    const receipts: string[] = [];
    for (const event of [
      ...[{ ...declared, schemaURL }, start, start],
      runEvent({ eventType: 'COMPLETE', run: { runId: child, facets }, job }),
      runEvent({ run: { runId: parent, facets: contexts(named) }, job }),
    ]) {
      receipts.push((await store.store(event)).json.receiptId);
    }
    await putSkewed(skewed);
    const traces = spans.map(({ traceId }) => `/api/v1/traces/${traceId}`);
    for (const path of traces) await store.until(path, ({ json }) => json.deliveries.length === 1);
    await store.until(traces[1] as string, ({ json }) => json.deliveries[0].retention);
    await store.until(`/api/v1/runs/${skewed}`, ({ json }) => json.findings.length > 0);
    return [
      ...[parent, child, skewed].map((runId) => `/api/v1/runs/${runId}`),
      ...receipts.flatMap((id) => [`/api/v1/events/${id}`, `/api/v1/events/${id}/document`]),
      ...traces,
    ];
  }

  /** An event whose acceptance and arrival differ, so that its run has a finding. */
  async function putSkewed(runId: string): Promise<void> {
    const head = {
      receiptId: `test-${runId}`,
      acceptedAt: new Date(Date.now() - 120_000).toISOString(),
      submitter: { producerId: 'demo-lineage', group: 'demo' },
      retentionClass: 'standard',
      received: { epoch: 0, hmac: runId },
      deviations: [],
    };
    const body = Buffer.from(JSON.stringify(runEvent({ run: { runId } })));
    await clients.kinesis.send(
      new PutRecordsCommand({
        StreamName: environment.streams.lineage,
        Records: [{ PartitionKey: runId, Data: encodeStreamRecord({ head, body }) }],
      }),
    );
  }

  it('answer every query as before', async () => {
    const paths = await fill();
    const before = await Promise.all(paths.map((path) => store.get(path)));
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await answerOf(paths[0] as string)).status).toBe(404);

    await rebuildRegisters({
      ...dependencies.registers,
      directory: new DynamoProducerDirectory(table('producers')),
      fileEpoch: (document) => fileEpochKey(table('producers'), document as WrappedEpochKey),
    });
    const rebuilding = { ...dependencies.index, index };
    const interval = { fromMillis: Date.parse(from) };
    const plan = await planRebuild(`test-${suffix}`, interval, rebuilding);
    for (const partition of plannedPartitions(plan)) await rebuildPlanned(partition, rebuilding);
    const { location } = await reportRebuild(plan, rebuilding);
    expect((await store.lockOf(location))?.Mode).toBe('GOVERNANCE');

    for (const [at, path] of paths.entries()) {
      const { status, json } = before[at] as (typeof before)[number];
      expect([path, await answerOf(path)]).toEqual([path, { status, json }]);
    }
  }, 120_000);

  it('list the producers as before, without a key that works', async () => {
    const mine = /^demo-(lineage|traces|read|admin)$/;
    const producersOf = async (name: string) => {
      const directory = new DynamoProducerDirectory(new DynamoTable(clients.dynamodb, name));
      const { producers } = await directory.list(1_000);
      return producers.filter(({ registration }) => mine.test(registration.producerId));
    };
    const rebuilt = await producersOf(tables.producers);
    expect(rebuilt).toHaveLength(4);
    expect(rebuilt).toEqual(await producersOf(environment.tables.producers));
  });

  it('are rebuilt by the state machine as well', async () => {
    const client = new SFNClient(clientConfig(environment.endpointUrl));
    const started: string[] = [];
    const rebuilt = await rebuildDistributed(
      client,
      environment.stateMachines.rebuildIndex,
      { from },
      (arn) => started.push(arn),
      200,
    );
    expect(started).toHaveLength(1);
    expect(rebuilt.rebuilt.records).toBeGreaterThan(0);
    expect(rebuilt.location.key).toMatch(/^reports\/rebuild\//);
  }, 120_000);
});
