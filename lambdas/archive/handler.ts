import type { ArchiveDependencies } from '../domain/evidence/archive-records.ts';
import type { ObjectReader } from '../domain/evidence/ports.ts';
import { type ArrivalDependencies, holdingEvents } from '../domain/holds/hold-arrivals.ts';
import { prepareEvent } from '../domain/openlineage/prepare-event.ts';
import { type StoreEventsDependencies, storeEvents } from '../domain/openlineage/store-events.ts';
import { promoteTrace } from '../domain/traces/promote.ts';
import { type ArchiveHandlerDependencies, archiveHandler } from '../shared/archive-handler.ts';

type Dependencies = Omit<ArchiveHandlerDependencies, 'plane' | 'prepare' | 'store'> &
  Omit<StoreEventsDependencies, 'onTraceNamed'> &
  ArrivalDependencies & { readonly reader: ObjectReader };

/** Stores lineage events, held where their run is; a run that names a trace makes what is staged of it evidence. */
export function createHandler(dependencies: Dependencies) {
  const store: ArchiveDependencies['store'] = (dated) =>
    storeEvents(dated, {
      ...dependencies,
      onTraceNamed: async (traceId) => void (await promoteTrace(traceId, dependencies)),
    });
  const prepare: ArchiveDependencies['prepare'] = (record, key, subjects) =>
    prepareEvent(record, { policy: dependencies.policy, key, subjects });
  return archiveHandler({
    ...dependencies,
    ...{ plane: 'lineage', prepare },
    store: holdingEvents(store, dependencies.traceContextFacets, dependencies),
  });
}
