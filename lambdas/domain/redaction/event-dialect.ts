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

/** Engines that leave statements to the databases they talk to. */
const ORCHESTRATORS: ReadonlySet<string> = new Set([
  'airflow',
  'dbt',
  'dagster',
  'prefect',
  'great_expectations',
]);

/**
 * The dialect of the statements in an event, by the strongest source that there is: the engine that ran
 * it, the connections of its datasets, their namespaces, the namespace of the job. A source that names
 * none that is known, or several, leaves it open: files beside a table may mean that another engine reads
 * both. The `sql` facet's own word is stronger and stands beside its query.
 * @param override what the policy says of these namespaces
 */
export function dialectOfEvent(
  document: JsonDocument,
  override: (namespaces: readonly string[]) => string | undefined,
): SourcedDialect | undefined {
  const { root } = document;
  const datasets = datasetsOf(document);
  const ofDatasets = datasets.map((node) => document.string(document.get(node, 'namespace')));
  const ofJob = document.string(document.at(root, 'job', 'namespace'));
  const namespaces = [ofJob, ...ofDatasets].filter((name) => name !== undefined);
  const decided = override(namespaces);
  if (decided !== undefined) return { name: decided, source: 'policy' };

  const text = (node: Node, ...names: string[]) => document.string(document.at(node, ...names));
  const engine = text(root, 'run', 'facets', 'processing_engine', 'name')?.trim();
  if (engine && !ORCHESTRATORS.has(engine.toLowerCase())) return agreed([engine], 'engine');
  const connections = datasets
    .map((node) => text(node, 'facets', 'dataSource', 'uri'))
    .filter((uri) => uri !== undefined);
  if (connections.length > 0) return agreed(connections.map(schemeOf), 'connection');
  if (datasets.length > 0) return agreed(ofDatasets.map(schemeOf), 'namespace');
  return agreed([schemeOf(ofJob)], 'namespace');
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
  const [first] = names;
  if (first === undefined) return undefined;
  const dialect = dialectName(first);
  const isSame = names.every((name) => name !== undefined && dialectName(name) === dialect);
  return dialect !== undefined && isSame ? { name: first, source } : undefined;
}
