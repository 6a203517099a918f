import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import type { RebuildIndexDependencies } from '../../../lambdas/domain/rebuild/rebuild-index.ts';
import { InMemoryNotes, inspectorOver, objectsOver } from '../../support/fakes/readers.ts';
import type { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { createStore } from '../traces/store.ts';

/** A store that archives, and what a rebuild of it over another index needs. */
export function storeToRebuild() {
  const store = createStore();
  const { vault, staging } = store;
  const rebuilding = (index: InMemoryRunIndex): RebuildIndexDependencies => ({
    ...store.dependencies,
    index,
    inspector: inspectorOver(vault, staging),
    objects: objectsOver(vault, staging),
    vaultBucket: vault.bucket,
    stagingBucket: staging.bucket,
    notes: new InMemoryNotes(),
  });
  const archive = async (plane: 'lineage' | 'traces', records: readonly ConsumedRecord[]) => {
    const { failures } = await (plane === 'lineage' ? store.archiveLineage : store.archiveTraces)(
      ...records,
    );
    store.time.now += 1_000;
    return failures;
  };
  return { ...store, rebuilding, archive };
}

/** Every row, so that two indexes can be compared whatever the order of their writes was. */
export function rowsOf(index: InMemoryRunIndex) {
  const rows = {
    deliveries: index.deliveryRows,
    runEvents: index.runEventRows,
    runDatasets: index.runDatasetRows,
    declarations: index.declarationRows,
    references: index.referenceRows,
    traceDeliveries: index.traceDeliveryRows,
    traceRuns: index.traceRunRows,
    findings: index.findingRows,
  };
  return Object.fromEntries(
    Object.entries(rows).map(([name, map]) => [
      name,
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)),
    ]),
  );
}
