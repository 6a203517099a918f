import type { Access } from '../evidence/index-entries.ts';
import type { JsonDocument } from '../json/document.ts';
import type { Identity } from './identity.ts';
import { readIdentity } from './run-facts.ts';

type RunDataset = Identity & { access: Access };

/**
 * Each dataset is a row of its own; an event of 6 MB could name a hundred thousand, which no invocation
 * would live to write. The document has them all.
 */
const MAX_INDEXED_DATASETS = 5_000;

/** Those of an event's datasets that get a row: the first, in the order listed. */
export function indexedDatasets(datasets: readonly RunDataset[]): readonly RunDataset[] {
  return datasets.slice(0, MAX_INDEXED_DATASETS);
}

/** Datasets that an event lists as inputs (read) and outputs (write), each once, as declared and as far as they fit an index row. */
export function readDatasets(document: JsonDocument): RunDataset[] {
  const found = new Map<string, RunDataset>();
  for (const [member, access] of [
    ['inputs', 'read'],
    ['outputs', 'write'],
  ] as const) {
    for (const node of document.items(document.get(document.root, member))) {
      const identity = readIdentity(document, node);
      if (!identity) continue;
      const { namespace, name } = identity;
      found.set(`${access} ${namespace.length} ${namespace} ${name}`, { namespace, name, access });
    }
  }
  return [...found.values()];
}
