import type { RunReference, TraceContext } from '../evidence/index-entries.ts';
import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import { spanIdOf, traceIdOf } from '../traces/ids.ts';
import { type Identity, isIndexable } from './identity.ts';

/** What an event says about its run beyond type and time. */
export interface RunFacts {
  readonly parent?: RunReference;
  readonly root?: RunReference;
  readonly parentMalformed?: boolean;
  readonly traceContexts: readonly TraceContext[];
  readonly tags: Readonly<Record<string, string>>;
  readonly processingType?: string;
}

/** What is copied into an index row is bounded, so that no event can outgrow a DynamoDB item (400 KB). */
const MAX_TAGS = 50;
const MAX_TAG_VALUE_CHARACTERS = 256;

/**
 * Reads a run event's own statements. Runs and spans are joined by these identifiers only.
 * @param traceContextFacets names of run facets that carry `traceId` and `spanId`; none is a standard yet
 */
export function readRunFacts(
  document: JsonDocument,
  traceContextFacets: readonly string[],
): RunFacts {
  const facets = document.at(document.root, 'run', 'facets');
  const parentFacet = document.get(facets, 'parent');
  const parent = readReference(document, parentFacet);
  const root = readReference(document, document.get(parentFacet, 'root'));
  const processingType = document.string(
    document.at(document.root, 'job', 'facets', 'jobType', 'processingType'),
  );
  return {
    ...(parent && { parent }),
    ...(root && { root }),
    ...(document.isObject(parentFacet) && !parent && { parentMalformed: true }),
    traceContexts: traceContextFacets.flatMap(
      (name) => readTraceContext(document, document.get(facets, name)) ?? [],
    ),
    tags: readTags(document, document.at(facets, 'tags', 'tags')),
    ...(processingType !== undefined && isIndexable(processingType) && { processingType }),
  };
}

function readReference(document: JsonDocument, node: Node): RunReference | undefined {
  const runId = document.string(document.at(node, 'run', 'runId'));
  if (!runId || !isIndexable(runId)) return undefined;
  const job = readIdentity(document, document.get(node, 'job'));
  return { runId, ...(job && { job }) };
}

/** Identity of a job or dataset node; undefined when a part is missing or too long for an index row. */
export function readIdentity(document: JsonDocument, node: Node): Identity | undefined {
  const namespace = document.string(document.get(node, 'namespace'));
  const name = document.string(document.get(node, 'name'));
  if (namespace === undefined || name === undefined) return undefined;
  return isIndexable(namespace) && isIndexable(name) ? { namespace, name } : undefined;
}

function readTraceContext(document: JsonDocument, facet: Node): TraceContext | undefined {
  const traceId = traceIdOf(document.string(document.get(facet, 'traceId')));
  const spanId = spanIdOf(document.string(document.get(facet, 'spanId')));
  return traceId === undefined ? undefined : { traceId, ...(spanId !== undefined && { spanId }) };
}

function readTags(document: JsonDocument, tags: Node): Record<string, string> {
  const found: Record<string, string> = {};
  for (const tag of document.items(tags).slice(0, MAX_TAGS)) {
    const key = document.string(document.get(tag, 'key'))?.slice(0, MAX_TAG_VALUE_CHARACTERS);
    const value = document.string(document.get(tag, 'value'));
    if (key?.startsWith('lineage.') && value !== undefined) {
      found[key] = value.slice(0, MAX_TAG_VALUE_CHARACTERS);
    }
  }
  return found;
}
