import type { Access } from '../evidence/index-entries.ts';
import type { JsonDocument } from '../json/document.ts';
import type { Identity } from './event.ts';
import { readIdentity } from './run-facts.ts';

/** Datasets that an event lists as inputs (read) and outputs (write), each once, as declared and as far as they fit an index row. */
export function readDatasets(document: JsonDocument): Array<Identity & { access: Access }> {
  const found = new Map<string, Identity & { access: Access }>();
  for (const [member, access] of [
    ['inputs', 'read'],
    ['outputs', 'write'],
  ] as const) {
    for (const node of document.items(document.get(document.root, member))) {
      const identity = readIdentity(document, node);
      if (identity)
        found.set(JSON.stringify([access, identity.namespace, identity.name]), {
          ...identity,
          access,
        });
    }
  }
  return [...found.values()];
}
