import {
  type ArchiveOutcome,
  archiveRecords,
} from '../../../lambdas/domain/evidence/archive-records.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import type { RetentionPolicy } from '../../../lambdas/domain/evidence/retention.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { storeEvents } from '../../../lambdas/domain/openlineage/store-events.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { promoteTrace } from '../../../lambdas/domain/traces/promote.ts';
import { storeTraces } from '../../../lambdas/domain/traces/store-traces.ts';
import { REDACTION, wholeMinute } from '../../support/builders.ts';
import { InMemoryStaging, InMemoryVault } from '../../support/fakes/bucket.ts';
import { holdPorts } from '../../support/fakes/holds.ts';
import { singlePolicy } from '../../support/fakes/keys.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { ACCEPTED_AT, RUN, RUN_ID_ATTRIBUTES, recordOf, SPAN_1, TRACE_A } from './exports.ts';

const retention: RetentionPolicy = {
  mode: 'GOVERNANCE',
  lineageDays: 1,
  traceDays: 1,
  recordDays: 366,
  floorDays: 1,
  slackDays: 35,
};

/** Both archive functions over one vault, staging and index. */
export function createStore() {
  const time = { now: Date.parse(ACCEPTED_AT) };
  const clock = () => time.now;
  const vault = new InMemoryVault('vault', clock);
  const staging = new InMemoryStaging('staging', clock);
  const index = new InMemoryRunIndex();
  const dependencies = {
    ...singlePolicy(),
    vault,
    staging,
    index,
    ...holdPorts(vault),
    reader: readerOver(vault, staging),
    inspector: inspectorOver(vault),
    retention,
    clock,
    runIdAttributes: RUN_ID_ATTRIBUTES,
    traceContextFacets: ['bearingnode_traceContext'],
  };
  const archiveTraces = (...records: ConsumedRecord[]): Promise<ArchiveOutcome> =>
    archiveRecords(
      records,
      {
        ...dependencies,
        plane: 'traces',
        prepare: (record) => prepareTraces(record, REDACTION, dependencies.runIdAttributes),
        store: (dated) => storeTraces(dated, dependencies),
      },
      wholeMinute,
    );
  const archiveLineage = (...records: ConsumedRecord[]): Promise<ArchiveOutcome> =>
    archiveRecords(
      records,
      {
        ...dependencies,
        plane: 'lineage',
        prepare: (record) => prepareEvent(record, REDACTION),
        store: (dated) =>
          storeEvents(dated, {
            ...dependencies,
            onTraceNamed: async (traceId) => void (await promoteTrace(traceId, dependencies)),
          }),
      },
      wholeMinute,
    );
  return { vault, staging, index, time, dependencies, archiveTraces, archiveLineage };
}

/** A START that names a span. */
export function runRecord(
  n: number,
  context: object = { traceId: TRACE_A, spanId: SPAN_1 },
): ConsumedRecord {
  const event = {
    eventType: 'START',
    eventTime: ACCEPTED_AT,
    producer: 'https://example.com/producer',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: RUN, facets: { bearingnode_traceContext: context } },
    job: { namespace: 'mcp-lineage-demo', name: 'mcp.execute_sql' },
  };
  return recordOf(JSON.stringify(event), n);
}
