import type { ArchiveDependencies } from '../domain/evidence/archive-records.ts';
import { type ArrivalDependencies, holdingTraces } from '../domain/holds/hold-arrivals.ts';
import { prepareTraces } from '../domain/traces/prepare-trace.ts';
import { type StoreTracesDependencies, storeTraces } from '../domain/traces/store-traces.ts';
import { type ArchiveHandlerDependencies, archiveHandler } from '../shared/archive-handler.ts';

type Dependencies = Omit<ArchiveHandlerDependencies, 'plane' | 'prepare' | 'store'> &
  StoreTracesDependencies &
  ArrivalDependencies;

/** Stores trace exports: governed traces in the vault, the others in staging until a run names them. */
export function createHandler(dependencies: Dependencies) {
  const store: ArchiveDependencies['store'] = holdingTraces(
    (dated) => storeTraces(dated, dependencies),
    dependencies,
  );
  const prepare: ArchiveDependencies['prepare'] = (record, key, subjects) =>
    prepareTraces(
      record,
      { policy: dependencies.policy, key, subjects },
      dependencies.runIdAttributes,
    );
  return archiveHandler({ ...dependencies, plane: 'traces', prepare, store });
}
