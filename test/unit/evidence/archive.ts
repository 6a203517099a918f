import { gunzipSync } from 'node:zlib';
import {
  type ArchiveDependencies,
  archiveRecords,
} from '../../../lambdas/domain/evidence/archive-records.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { storeEvents } from '../../../lambdas/domain/openlineage/store-events.ts';
import { STRICT } from '../../../lambdas/domain/redaction/policy.ts';
import { NOW, RETENTION, wholeMinute } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { singlePolicy } from '../../support/fakes/keys.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';

export const CANARY = 'canary-7f3e9d01';

/** Archives lineage records into fakes, as the archive function does. */
export function archive(overrides: Partial<ArchiveDependencies> = {}) {
  const vault = new InMemoryVault();
  const index = new InMemoryRunIndex();
  const named: string[] = [];
  const dependencies: ArchiveDependencies = {
    plane: 'lineage',
    ...singlePolicy(),
    ...{ vault, index, retention: RETENTION, clock: () => NOW },
    prepare: (record, key) => prepareEvent(record, { policy: STRICT, key }),
    store: (dated) =>
      storeEvents(dated, {
        ...{ vault, index, retention: RETENTION, clock: () => NOW, traceContextFacets: ['ctx'] },
        onTraceNamed: async (traceId) => void named.push(traceId),
      }),
    ...overrides,
  };
  const runWithin = (remainingMillis: () => number, records: readonly ConsumedRecord[]) =>
    archiveRecords(records, dependencies, remainingMillis);
  const run = (...records: ConsumedRecord[]) => runWithin(wholeMinute, records);
  const findings = () =>
    [...index.findingRows.values()].map(({ kind, subject }) => `${kind} ${subject}`).sort();
  const text = () =>
    vault.versions
      .map(({ key, body }) => key + (key.endsWith('.gz') ? gunzipSync(body) : body))
      .join();
  return { vault, index, named, run, runWithin, findings, text };
}
