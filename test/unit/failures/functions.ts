import type { Context, SQSEvent } from 'aws-lambda';
import { createHandler as createArchive } from '../../../lambdas/archive/handler.ts';
import { createHandler as createArchiveTraces } from '../../../lambdas/archive-traces/handler.ts';
import { createHandler as createAudit } from '../../../lambdas/audit-retention/handler.ts';
import { RateLimiter } from '../../../lambdas/domain/producers/rate-limit.ts';
import { readPolicy, STRICT } from '../../../lambdas/domain/redaction/policy.ts';
import { createHandler as createHolds } from '../../../lambdas/holds/handler.ts';
import { createHandler as createIngest } from '../../../lambdas/ingest/handler.ts';
import { createHandler as createIngestTraces } from '../../../lambdas/ingest-traces/handler.ts';
import { createHandler as createProducers } from '../../../lambdas/producers/handler.ts';
import { createHandler as createQuery } from '../../../lambdas/query/handler.ts';
import { HealthCheck } from '../../../lambdas/query/health.ts';
import { createHandler as createRebuild } from '../../../lambdas/rebuild-index/handler.ts';
import { createHandler as createReconcileHolds } from '../../../lambdas/reconcile-holds/handler.ts';
import { createHandler as createRedrive } from '../../../lambdas/redrive/handler.ts';
import { createHandler as createReport } from '../../../lambdas/report-rejections/handler.ts';
import { createHandler as createSeal } from '../../../lambdas/seal/handler.ts';
import type { FunctionLog } from '../../../lambdas/shared/function-log.ts';
import type { MetricSink } from '../../../lambdas/shared/metric-sink.ts';
import { createHandler as createVerify } from '../../../lambdas/verify/handler.ts';
import {
  consumed,
  NOW,
  RETENTION,
  RUN_ID,
  runEventText,
  wholeMinute,
} from '../../support/builders.ts';
import { InMemoryStaging, InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryHoldIndex, InMemoryLegalHolds } from '../../support/fakes/holds.ts';
import { InMemorySubjectKeys, SingleEpochKey } from '../../support/fakes/keys.ts';
import {
  extenderOver,
  InMemoryNotes,
  inspectorOver,
  objectsOver,
  readerOver,
  sealedStoreOver,
  streamsOver,
} from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { InMemoryStream, InMemoryStreamCounter } from '../../support/fakes/streams.ts';
import { InMemoryUsage } from '../../support/fakes/usage.ts';
import { exported, GOOD_SPAN } from '../../support/front-door.ts';
import { GUARDS, guardsSeen } from '../../support/guards.ts';
import { KEY, producersWith, request } from '../../support/http.ts';
import { kinesisEvent } from '../../support/kinesis-event.ts';
import { InMemorySigningKeys } from '../../support/signing-keys.ts';
import { receipt } from '../query/store.ts';
import { exportOf, span, TRACE_A } from '../traces/exports.ts';

/** A call of a function as the runtime makes it. */
type Handler = (event: never, context: never) => Promise<unknown>;

/** Puts something between a function and its ports. */
export type Sabotage = <D extends object>(ports: D) => D;

interface Output {
  readonly logger: FunctionLog;
  readonly metrics: MetricSink;
}

/** A function over ports that may be sabotaged, and the events that together make it call each of them. */
interface Subject {
  readonly handler: Handler;
  readonly events: readonly unknown[];
}

const CONTEXT = { getRemainingTimeInMillis: wholeMinute } as Context;
const ALL_SCOPES = ['ingest:lineage', 'ingest:traces', 'read', 'audit', 'hold', 'admin'] as const;
const INTERVAL = {
  from: '2026-03-04T05:00:00.000Z',
  to: '2026-03-04T06:00:00.000Z',
  asOf: '2026-03-05T00:00:00.000Z',
};
const HOUR = 'dt=2026-03-04/hour=05/';
const TRACE_FACETS = ['ctx'];
const RUN_ID_ATTRIBUTES = ['lineage.run_id'];

/** A store that holds a run, a trace of it, a producer and a refusal, and what all functions share. */
async function filledStore(sabotage: Sabotage, { logger, metrics }: Output) {
  const vault = new InMemoryVault();
  const staging = new InMemoryStaging();
  const index = new InMemoryRunIndex();
  const registry = producersWith({ scopes: [...ALL_SCOPES] });
  const usage = new InMemoryUsage();
  const silent = {
    logger: { info() {}, warn() {}, error() {} },
    metrics: { addMetric() {}, publishStoredMetrics() {} },
  };
  const holds = new InMemoryHoldIndex();
  const legalHolds = new InMemoryLegalHolds(vault);
  const archiving = {
    ...{ vault, staging, index, reader: readerOver(vault, staging), retention: RETENTION },
    ...{ holds, legalHolds, policy: STRICT, epochKeys: new SingleEpochKey() },
    subjectKeys: new InMemorySubjectKeys(),
    ...{ clock: () => NOW, traceContextFacets: TRACE_FACETS, runIdAttributes: RUN_ID_ATTRIBUTES },
  };
  await createArchiveTraces({ ...archiving, ...silent })(kinesisEvent([traceRecord]), CONTEXT);
  await createArchive({ ...archiving, ...silent })(kinesisEvent([runRecord]), CONTEXT);
  await usage.count({
    ...{ hour: '2026-03-04T05', producerId: 'producer-1', rule: 'invalid_event', refused: 1 },
    sample: {
      at: '2026-03-04T05:00:00.000Z',
      requestId: 'r',
      route: '/',
      path: '$',
      bytesBucket: 1,
    },
  });
  const ports = sabotage({
    ...{ vault, staging, index, registry, holds, legalHolds },
    ...{ inspector: inspectorOver(vault, staging), ...extenderOver(vault) },
    ...{ objects: objectsOver(vault, staging), notes: new InMemoryNotes() },
    ...{
      directory: registry,
      rejections: usage,
      limiter: new RateLimiter(usage),
    },
    reader: archiving.reader,
    publisher: new InMemoryStream(),
    epochKeys: new SingleEpochKey(),
    subjectKeys: archiving.subjectKeys,
  });
  const settings = {
    policy: NAMING_SUBJECTS,
    clock: () => NOW,
    retention: RETENTION,
    authMode: 'bearer' as const,
  };
  return { ...ports, ...settings, logger, metrics };
}

/** A subject is looked up only where the policy has one. */
const NAMING_SUBJECTS = readPolicy({ subject: ['facet:acting.id', 'attribute:enduser.id'] });

const traceContext = { ctx: { traceId: TRACE_A, spanId: 'cd'.repeat(8) } };
const runRecord = consumed(
  1,
  runEventText({
    run: { runId: RUN_ID, facets: traceContext },
    inputs: [{ namespace: 'n', name: 'in' }],
  }),
  { receiptId: receipt(1) },
);
const traceRecord = consumed(9, exportOf(span({ runIds: [RUN_ID] })));
const poison = consumed(2, '{"no json');

const get = (proxy: string) =>
  request({
    ...{ httpMethod: 'GET', resource: '/api/v1/{proxy+}', path: `/api/v1/${proxy}` },
    pathParameters: { proxy },
  });
const headers = { Authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const posted = (resource: string, body: unknown) =>
  request({ resource, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

/** Each function of the store, by its folder. */
export const FUNCTIONS: Readonly<
  Record<string, (sabotage: Sabotage, output: Output) => Promise<Subject>>
> = {
  ingest: async (sabotage, output) => {
    const dependencies = { ...(await filledStore(sabotage, output)), maxRecordBytes: 50_000 };
    const batch = [JSON.parse(runEventText()), {}];
    return {
      handler: createIngest(dependencies) as Handler,
      events: [
        posted('/api/v1/lineage', runEventText()),
        posted('/api/v1/lineage', '{"no event": 1}'),
        posted('/api/v1/lineage/batch', batch),
      ],
    };
  },
  'ingest-traces': async (sabotage, output) => {
    const dependencies = { ...(await filledStore(sabotage, output)), maxRecordBytes: 50_000 };
    return {
      handler: createIngestTraces(dependencies) as Handler,
      events: [
        posted('/v1/traces', exported(GOOD_SPAN)),
        posted('/v1/traces', exported({ traceId: 'none' })),
      ],
    };
  },
  archive: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const handler = createArchive({ ...dependencies, traceContextFacets: TRACE_FACETS }) as Handler;
    const facets = { ...traceContext, acting: { id: 'jane' } };
    const another = consumed(3, runEventText({ run: { runId: 'another', facets } }));
    return { handler, events: [kinesisEvent([another, poison]), {}] };
  },
  'archive-traces': async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const records = [
      consumed(2, exportOf(span({ traceId: 'ef'.repeat(16), runIds: ['another'] }))),
      consumed(3, exportOf(span({ traceId: 'fe'.repeat(16) }))),
      poison,
    ];
    return {
      handler: createArchiveTraces({
        ...dependencies,
        runIdAttributes: RUN_ID_ATTRIBUTES,
      }) as Handler,
      events: [kinesisEvent(records), {}],
    };
  },
  query: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const { probe } = sabotage({ probe: { ask: async () => undefined } });
    const health = new HealthCheck([() => probe.ask()], () => NOW);
    return {
      handler: createQuery({ ...dependencies, health }) as Handler,
      events: [
        request({ httpMethod: 'GET', resource: '/health', path: '/health' }),
        get(`runs/${RUN_ID}`),
        get(`events/${receipt(1)}`),
        get(`events/${receipt(1)}/document`),
        get(`events/${receipt(1)}/proof`),
        get(`traces/${TRACE_A}`),
      ],
    };
  },
  producers: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    let n = 0;
    const randomText = (alphabet: string, length: number) =>
      (alphabet[n++ % 30] as string).repeat(length);
    const one = { resource: '/api/v1/producers/{producerId}', pathParameters: { producerId: 'p' } };
    return {
      handler: createProducers({ ...dependencies, randomText }) as Handler,
      events: [
        posted('/api/v1/producers', { producerId: 'p', scopes: ['read'] }),
        request({ httpMethod: 'GET', resource: '/api/v1/producers' }),
        request({ httpMethod: 'GET', ...one }),
        request({ httpMethod: 'PATCH', ...one, body: '{"rotate": true}' }),
      ],
    };
  },
  'audit-retention': async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    return {
      handler: createAudit({
        ...dependencies,
        vaultBucket: 'vault',
        isReplicated: false,
      }) as Handler,
      events: [INTERVAL, { from: 'no time' }],
    };
  },
  holds: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const onRun = { resource: '/api/v1/hold', queryStringParameters: { runId: RUN_ID }, headers };
    const body = '{"reason": "r", "reference": "c"}';
    return {
      handler: createHolds(dependencies) as Handler,
      events: [
        request({ ...onRun, httpMethod: 'PUT', body }),
        request({ ...onRun, httpMethod: 'PUT', body: '{"no json' }),
        request({ httpMethod: 'GET', resource: '/api/v1/holds' }),
        request({ ...onRun, httpMethod: 'DELETE', body }),
      ],
    };
  },
  'reconcile-holds': async (sabotage, output) => ({
    handler: createReconcileHolds({
      ...(await filledStore(sabotage, output)),
      vaultBucket: 'vault',
    }) as Handler,
    events: [INTERVAL, { from: 'no time' }],
  }),
  'report-rejections': async (sabotage, output) => ({
    handler: createReport(await filledStore(sabotage, output)) as Handler,
    events: [INTERVAL, {}, { from: 'no time' }],
  }),
  seal: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const { vault } = dependencies;
    const ports = sabotage({
      keys: new InMemorySigningKeys(),
      streams: streamsOver(vault),
      anchor: { name: 'topic', publish: async () => undefined },
    });
    const settings = { intervalMinutes: 15, closeAfterSeconds: 300, folderDays: 15 };
    return {
      handler: createSeal({
        ...{ ...dependencies, ...ports, settings, vaultBucket: 'vault' },
        counting: {
          ...sabotage({ counter: new InMemoryStreamCounter() }),
          ...{ inspector: dependencies.inspector, reader: dependencies.reader },
          ...{ vaultBucket: 'vault', stagingBucket: 'staging', graceMillis: 3_600_000 },
        },
      }) as Handler,
      events: [{ sweep: true, maxDigests: 1 }, {}, { from: 'no time' }],
    };
  },
  verify: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const { vault } = dependencies;
    const ports = sabotage({ store: sealedStoreOver(vault), guardReader: guardsSeen() });
    return {
      handler: createVerify({
        ...{ ...dependencies, ...ports, guards: GUARDS, periodDays: 1 },
      }) as Handler,
      events: [{}, { from: 'no time' }],
    };
  },
  'rebuild-index': async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const plan = new Date(NOW)
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
      .toLowerCase();
    const partition = { kind: 'lineage', prefix: `lineage/class=standard/${HOUR}`, plan, at: 0 };
    const traces = { ...partition, kind: 'traces', prefix: `traces/class=standard/${HOUR}`, at: 1 };
    return {
      handler: createRebuild({
        ...{ ...dependencies, vaultBucket: 'vault', stagingBucket: 'staging' },
        ...{ traceContextFacets: TRACE_FACETS, runIdAttributes: RUN_ID_ATTRIBUTES },
      }) as Handler,
      events: [
        { step: 'plan' },
        { step: 'partition', partition },
        { step: 'partition', partition: traces },
        { step: 'report', plan },
      ],
    };
  },
  redrive: async (sabotage, output) => {
    const dependencies = await filledStore(sabotage, output);
    const ports = sabotage({
      stream: {
        async *readRange() {
          yield runRecord;
          yield poison;
        },
      },
      archiver: { archive: async () => 'crashed' as const, isSound: async () => true },
    });
    const info = {
      ...{ shardId: 'shardId-000000000000', streamArn: 'arn:aws:kinesis:stream/lineage' },
      ...{ startSequenceNumber: '1', endSequenceNumber: '2' },
      approximateArrivalOfFirstRecord: '2026-03-04T05:06:07.890Z',
    };
    const Records = [{ messageId: 'm', body: JSON.stringify({ KinesisBatchInfo: info }) }];
    return {
      handler: createRedrive({ ...dependencies, ...ports, planeOf: () => 'lineage' }) as Handler,
      events: [{ Records } as SQSEvent, { Records: [{ messageId: 'm', body: '{"no json' }] }, {}],
    };
  },
};

/** Calls a function the way the runtime does. */
export const call = ({ handler }: Pick<Subject, 'handler'>, event: unknown): Promise<unknown> =>
  handler(event as never, CONTEXT as never);
