import { createHandler as createArchive } from '../../../lambdas/archive/handler.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import type { ObjectReader, ObjectVersion } from '../../../lambdas/domain/evidence/ports.ts';
import { issueReceipt } from '../../../lambdas/domain/evidence/receipt.ts';
import { createHandler } from '../../../lambdas/query/handler.ts';
import { HealthCheck } from '../../../lambdas/query/health.ts';
import { deliveryId, EPOCH_KEY, NOW, RETENTION, wholeMinute } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { holdPorts } from '../../support/fakes/holds.ts';
import { SingleEpochKey, singlePolicy } from '../../support/fakes/keys.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { CONTEXT, producersWith, request } from '../../support/http.ts';
import { kinesisEvent } from '../../support/kinesis-event.ts';
import { recorder } from '../../support/recorder.ts';

export const receipt = (n: number) => issueReceipt(EPOCH_KEY, deliveryId(NOW, n));

/** A store filled through the archive handler, and the query function over it. */
export function queriedStore(registration: Parameters<typeof producersWith>[0] = {}) {
  const time = { now: NOW };
  const vault = new InMemoryVault('vault', () => time.now);
  const index = new InMemoryRunIndex();
  const registry = producersWith(registration);
  const { logger, metrics, lines } = recorder();
  const ports = holdPorts(vault);
  let onRead = (_version: ObjectVersion): unknown => undefined;
  const reader: ObjectReader = {
    read: (version) => {
      onRead(version);
      return readerOver(vault).read(version);
    },
  };
  const shared = { vault, index, ...ports, reader, logger, clock: () => NOW };
  const archive = createArchive({
    ...shared,
    ...singlePolicy(),
    metrics,
    retention: RETENTION,
    traceContextFacets: ['ctx'],
  });
  const probes = { healthy: true, asked: 0 };
  const probe = async () => {
    probes.asked++;
    if (!probes.healthy) throw new Error('down');
  };
  const query = createHandler({
    ...{ ...shared, registry, epochKeys: new SingleEpochKey(), inspector: inspectorOver(vault) },
    authMode: 'bearer',
    health: new HealthCheck([probe], () => time.now),
    clock: () => time.now,
  });
  return {
    ...{ vault, index, registry, lines, probes, time, ...ports },
    /** Sees each object that is read from now on. */
    watch: (watcher: typeof onRead) => {
      onRead = watcher;
    },
    archive: (...records: ConsumedRecord[]) =>
      archive(kinesisEvent(records), { getRemainingTimeInMillis: wholeMinute }),
    get: async (proxy: string, overrides: Parameters<typeof request>[0] = {}) => {
      const event = request({
        httpMethod: 'GET',
        resource: '/api/v1/{proxy+}',
        path: `/api/v1/${proxy}`,
        pathParameters: { proxy },
        ...overrides,
      });
      const { statusCode, body, headers } = await query(event, CONTEXT);
      return { status: statusCode, text: body, headers, json: () => JSON.parse(body) };
    },
  };
}
