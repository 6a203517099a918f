import type { JsonDocument } from '../json/document.ts';
import { NONE, type Node } from '../json/scanner.ts';
import { dialectName } from './sql/dialects.ts';

/** A dialect as its source spells it, and who says so. */
export interface SourcedDialect {
  readonly name: string;
  readonly source: 'policy' | 'facet' | 'engine' | 'connection' | 'namespace' | 'span';
}

/** Thousands of datasets would say the same. */
const MAX_DATASETS = 64;

/**
 * The dialect of the statements in an event, by the strongest source that names a known one: the engine
 * that ran it, the connections of its datasets, their namespaces, the namespace of the job. Sources of one
 * kind that disagree say nothing. The `sql` facet's own word is stronger and stands beside its query.
 * @param override what the policy says of these namespaces
 */
export function dialectOfEvent(
  document: JsonDocument,
  override: (namespaces: readonly string[]) => string | undefined,
): SourcedDialect | undefined {
  const { root } = document;
  const datasets = datasetsOf(document);
  const namespaceOf = (node: Node) => document.string(document.get(node, 'namespace'));
  const job = document.get(root, 'job');
  const ofDatasets = datasets.map(namespaceOf).filter((name) => name !== undefined);
  const ofJob = job === NONE ? undefined : namespaceOf(job);
  const decided = override(ofJob === undefined ? ofDatasets : [ofJob, ...ofDatasets]);
  if (decided !== undefined) return { name: decided, source: 'policy' };

  const text = (node: Node, ...names: string[]) => document.string(document.at(node, ...names));
  const engine = text(root, 'run', 'facets', 'processing_engine', 'name');
  const connections = datasets.map((node) => text(node, 'facets', 'dataSource', 'uri'));
  return (
    agreed([engine], 'engine') ??
    agreed(connections.map(schemeOf), 'connection') ??
    agreed(ofDatasets.map(schemeOf), 'namespace') ??
    agreed([schemeOf(ofJob)], 'namespace')
  );
}

function datasetsOf(document: JsonDocument): Node[] {
  const listed = ['inputs', 'outputs'].flatMap((name) =>
    document.items(document.get(document.root, name)),
  );
  const single = document.get(document.root, 'dataset');
  return [...(single === NONE ? [] : [single]), ...listed].slice(0, MAX_DATASETS);
}

/** `postgres` of `postgres://host`, `jdbc:postgresql:..` and `postgres`. */
function schemeOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : /^(?:jdbc:)?([\w.+-]{1,40})/i.exec(name)?.[1];
}

function agreed(
  names: ReadonlyArray<string | undefined>,
  source: SourcedDialect['source'],
): SourcedDialect | undefined {
  const known = names.filter(
    (name): name is string => name !== undefined && dialectName(name) !== undefined,
  );
  const [first] = known;
  if (first === undefined) return undefined;
  const isSame = known.every((name) => dialectName(name) === dialectName(first));
  return isSame ? { name: first, source } : undefined;
}
