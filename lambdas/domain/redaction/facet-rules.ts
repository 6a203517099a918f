import { plainName } from './sensitive-names.ts';

/** Facets whose whole content goes: plans, environments and dumps that no rule can cut finer yet. */
const FACETS_WITHOUT_CONTENT: ReadonlyMap<string, string> = byPlainName({
  'spark.logicalPlan': 'plan',
  spark_unknown: 'plan',
  debug: 'plan',
  'spark.exception': 'error',
  'environment-properties': 'environment',
  unknownSourceAttribute: 'source',
  great_expectations_meta: 'parameters',
});

/** Members that are harmless elsewhere and sensitive in one facet. */
const FACET_MEMBERS: ReadonlyMap<string, ReadonlyMap<string, string>> = byPlainName({
  executionParameters: byPlainName({ value: 'parameters', name: 'parameters' }),
  extractionError: byPlainName({ task: 'error' }),
  airflow_version: byPlainName({ taskInfo: 'source' }),
  ownership: byPlainName({ name: 'person' }),
  dataQualityMetrics: byPlainName({ min: 'data', max: 'data', sum: 'data', quantiles: 'data' }),
  dataQualityAssertions: byPlainName({ content: 'sql', expected: 'data', actual: 'data' }),
  test: byPlainName({ content: 'sql', expected: 'data', actual: 'data' }),
  subset: byPlainName({ value: 'data', dimensions: 'data' }),
  hive_session: byPlainName({ sessionId: 'person' }),
});

/** Maps keyed by column, by their path inside a standard facet: a column may be called `query` or `owner` without being one. */
const COLUMN_MAPS: ReadonlyMap<string, readonly string[]> = byPlainName({
  columnLineage: ['fields'],
  lineage: ['fields', 'entries.fields'],
  dataQualityMetrics: ['columnMetrics'],
});

/** Entities of the standard inside the `parent` facet: they have facets of their own. */
const ENTITIES: ReadonlyMap<string, readonly string[]> = byPlainName({
  parent: ['run', 'job', 'root.run', 'root.job'],
});

/** The one facet whose content is a map of names to values in a member of the facet's own name. */
export const ENVIRONMENT_FACET = 'environmentvariables';

/** What is sensitive, or only looks like it, in one facet. Paths start below the facet. */
export interface FacetRules {
  /** The rule under which everything in it goes. */
  readonly content?: string;
  /** Rules for members of it at any depth, by plain name. */
  readonly members?: ReadonlyMap<string, string>;
  /** Paths of the maps that are keyed by column. */
  readonly columnMaps: readonly string[];
  /** Paths of runs and jobs that have facets of their own. */
  readonly entities: readonly string[];
  readonly isEnvironment: boolean;
}

/** The rules for a facet, by its name as sent. */
export function rulesOfFacet(facet: string): FacetRules {
  const name = plainName(facet);
  return {
    content: FACETS_WITHOUT_CONTENT.get(name),
    members: FACET_MEMBERS.get(name),
    columnMaps: COLUMN_MAPS.get(name) ?? [],
    entities: ENTITIES.get(name) ?? [],
    isEnvironment: name === ENVIRONMENT_FACET,
  };
}

function byPlainName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(table).map(([name, value]) => [plainName(name), value]));
}
