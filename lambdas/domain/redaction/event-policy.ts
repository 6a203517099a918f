import { detect, detectInIdentity, withoutUrlSecrets } from './detectors.ts';
import { plainName, ruleForName } from './sensitive-names.ts';
import { marker, type Place, type ValuePolicy } from './whole-value.ts';

const FACET_CONTAINER = /^(?:input|output)?facets$/i;

/** Members that say what a facet is; never its content. */
const FACET_HEAD = new Set(['_producer', '_schemaURL', '_deleted']);

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

const IDENTITY_MEMBERS = new Set([
  'namespace',
  'name',
  'runId',
  'producer',
  'schemaURL',
  '_producer',
  '_schemaURL',
]);

/** Maps keyed by column, by their path inside a standard facet: a column may be called `query` or `owner` without being one. */
const COLUMN_MAPS: ReadonlyMap<string, readonly string[]> = byPlainName({
  columnLineage: ['fields'],
  lineage: ['fields', 'entries.fields'],
  dataQualityMetrics: ['columnMetrics'],
});

/** Names from a facet down to a column: `fields.x` and `entries.fields.x`. */
const COLUMN_DEPTHS = [2, 3];

/** The one facet whose content is a map of names to values in a member of the facet's own name. */
const ENVIRONMENT_FACET = 'environmentvariables';

interface FacetPlace {
  /** Name of the facet as sent; undefined outside facets. */
  readonly facet?: string;
  /** Names below the facet; empty for the facet itself. */
  readonly inside: readonly string[];
}

/** The innermost facet around a value: a parent run inside a facet has facets of its own. */
function facetOf(names: readonly string[]): FacetPlace {
  for (let at = names.length - 2; at >= 0; at--) {
    if (!FACET_CONTAINER.test(names[at] as string) || isColumnName(names, at)) continue;
    return { facet: names[at + 1] as string, inside: names.slice(at + 2) };
  }
  return { inside: [] };
}

/** A column may be called `facets`, too. Decided by the few names above it, so that depth costs nothing. */
function isColumnName(names: readonly string[], at: number): boolean {
  return COLUMN_DEPTHS.some(
    (depth) =>
      FACET_CONTAINER.test(names[at - depth - 1] ?? '') &&
      isColumn(names[at - depth] as string, names.slice(at - depth + 1, at + 1)),
  );
}

/**
 * OpenLineage events until the redaction issue lands: a value on the sensitive list is replaced
 * whole, never in part, because what is not yet understood is not stored.
 */
export const eventPolicy: ValuePolicy = {
  id: 'event-whole-value/1',

  ruleForPlace({ names }: Place): string | undefined {
    const name = names.at(-1);
    if (name === undefined) return undefined;
    const { facet, inside } = facetOf(names);
    if (facet === undefined) return ruleForName(name);
    if (inside.length === 0 || FACET_HEAD.has(name)) return undefined;
    if (isColumn(facet, inside)) return undefined;
    if (plainName(facet) === ENVIRONMENT_FACET) return ruleForEnvironment(inside);
    return (
      FACETS_WITHOUT_CONTENT.get(plainName(facet)) ??
      FACET_MEMBERS.get(plainName(facet))?.get(plainName(name)) ??
      ruleForName(name)
    );
  },

  judgeText({ names }: Place, text: string) {
    const rule = ruleForBareContent(names);
    if (rule !== undefined) return { rule, replacement: marker(rule) };
    const isIdentity = IDENTITY_MEMBERS.has(names.at(-1) ?? '');
    const bare = isIdentity ? withoutUrlSecrets(text) : text;
    const detected = isIdentity ? detectInIdentity(bare) : detect(bare);
    if (detected !== undefined) return { rule: detected, replacement: marker(detected) };
    return bare === text ? undefined : { rule: 'url_user_info', replacement: bare };
  },

  replacement: (_place: Place, rule: string) => JSON.stringify(marker(rule)),
};

function isColumn(facet: string, inside: readonly string[]): boolean {
  return COLUMN_MAPS.get(plainName(facet))?.includes(inside.slice(0, -1).join('.')) ?? false;
}

/** Only the names of variables stay. */
function ruleForEnvironment(inside: readonly string[]): string | undefined {
  return isEnvironmentMap(inside) || inside.at(-1) === 'name' ? undefined : 'environment';
}

function isEnvironmentMap([name = '', ...below]: readonly string[]): boolean {
  return below.length === 0 && plainName(name) === ENVIRONMENT_FACET;
}

/** The rule for a text where an object belongs: nobody can tell what is in a facet that is a text, or in a column that is one. */
function ruleForBareContent(names: readonly string[]): string | undefined {
  const { facet, inside } = facetOf(names);
  if (facet === undefined) return undefined;
  const name = plainName(facet);
  if (inside.length === 0) return FACETS_WITHOUT_CONTENT.get(name) ?? ruleForName(facet);
  if (name === ENVIRONMENT_FACET && isEnvironmentMap(inside)) return 'environment';
  return isColumn(facet, inside) ? ruleForName(inside.at(-1) as string) : undefined;
}

function byPlainName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(table).map(([name, value]) => [plainName(name), value]));
}
