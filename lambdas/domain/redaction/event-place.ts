import { ENVIRONMENT_FACET, type FacetRules, rulesOfFacet } from './facet-rules.ts';
import { plainName, ruleForName } from './sensitive-names.ts';
import type { Place } from './whole-value.ts';

const FACET_CONTAINER = /^(?:input|output)?facets$/i;

const CONTAINER_OF_ENTITY = 'facets';

/** Members that say what a facet is; never its content. */
const FACET_HEAD = new Set(['_producer', '_schemaURL', '_deleted']);

const IDENTITY_MEMBERS = new Set([
  'namespace',
  'name',
  'runId',
  'producer',
  'schemaURL',
  '_producer',
  '_schemaURL',
]);

/** Where a value of an event stands, and all that follows from it. */
export interface EventPlace extends Place {
  /** The rule for a text where an object belongs: nobody can tell what is in it. */
  readonly ruleForText?: string;
  /** Lineage is joined on a text here. */
  readonly isIdentity: boolean;
  /** A text or a flag here belongs to no content, so {@link Place.rule} is not for it. */
  readonly isFacetHead: boolean;
  /** Its members are facets. */
  readonly holdsFacets: boolean;
  /** The innermost facet around the value, or the value itself. */
  readonly facet?: FacetPlace;
}

interface FacetPlace {
  readonly rules: FacetRules;
  /** Members' rules of the facets around this one, when no standard puts facets there: they go on. */
  readonly outer?: ReadonlySet<ReadonlyMap<string, string>>;
  /** Names from the facet down to here; 0 is the facet itself. */
  readonly depth: number;
  /** These names joined by dots, while they may lead to something that the rules know by its path. */
  readonly path?: string;
}

/** The place of an event. */
export const EVENT: EventPlace = { isIdentity: false, isFacetHead: false, holdsFacets: false };

/** The place of a member, by the place of its object alone: whatever the depth, it costs the same. */
export function placeOf(name: string, above: EventPlace): EventPlace {
  if (above.holdsFacets) return placeOfFacet(name, above.facet);
  if (above.facet !== undefined) return placeInFacet(name, above.facet);
  return {
    rule: ruleForName(name),
    isIdentity: IDENTITY_MEMBERS.has(name),
    isFacetHead: false,
    holdsFacets: FACET_CONTAINER.test(name),
  };
}

/** @param container the place of the container of facets when that stands in a facet itself */
function placeOfFacet(name: string, container: FacetPlace | undefined): EventPlace {
  const rules = rulesOfFacet(name);
  const outer = container && outerRules(container);
  return {
    rule: outer && ruleOfOuter(outer, name),
    ruleForText: rules.content ?? ruleForName(name),
    isIdentity: IDENTITY_MEMBERS.has(name),
    isFacetHead: false,
    holdsFacets: FACET_CONTAINER.test(name),
    facet: { rules, outer, depth: 0, path: '' },
  };
}

function placeInFacet(name: string, above: FacetPlace): EventPlace {
  const { rules, outer } = above;
  const depth = above.depth + 1;
  const isColumn = rules.columnMaps.includes(above.path ?? '');
  const isEnvironmentMap =
    rules.isEnvironment && depth === 1 && plainName(name) === ENVIRONMENT_FACET;
  let rule: string | undefined;
  if (rules.isEnvironment) {
    // Only the names of variables stay.
    rule = isEnvironmentMap || name === 'name' ? undefined : 'environment';
  } else if (!isColumn) {
    rule = rules.content ?? rules.members?.get(plainName(name)) ?? ruleForName(name);
  }
  return {
    rule: rule ?? (outer && ruleOfOuter(outer, name)),
    ruleForText: isEnvironmentMap ? 'environment' : isColumn ? ruleForName(name) : undefined,
    isIdentity: IDENTITY_MEMBERS.has(name),
    isFacetHead: depth === 1 && FACET_HEAD.has(name),
    // A column may be called `facets`, too.
    holdsFacets: !isColumn && FACET_CONTAINER.test(name),
    facet: { rules, outer, depth, path: pathBelow(above, name) },
  };
}

/**
 * A container of facets that only the producer knows is content of the facet it stands in, so the
 * rules of that facet go on below it. The set holds rules, not facets: it stays as small as their table.
 */
function outerRules({ rules, outer, path }: FacetPlace): FacetPlace['outer'] {
  if (rules.entities.some((entity) => path === `${entity}.${CONTAINER_OF_ENTITY}`)) return outer;
  if (outer !== undefined && (rules.members === undefined || outer.has(rules.members))) {
    return outer;
  }
  return new Set([...(outer ?? []), ...(rules.members ? [rules.members] : [])]);
}

function ruleOfOuter(
  outer: ReadonlySet<ReadonlyMap<string, string>>,
  name: string,
): string | undefined {
  const plain = plainName(name);
  for (const members of outer) {
    const rule = members.get(plain);
    if (rule !== undefined) return rule;
  }
  return ruleForName(name);
}

function pathBelow({ rules, path }: FacetPlace, name: string): string | undefined {
  const { columnMaps, entities } = rules;
  if (path === undefined || columnMaps.length + entities.length === 0) return undefined;
  const below = path === '' ? name : `${path}.${name}`;
  const leadsOn = (known: string) => known === below || known.startsWith(`${below}.`);
  const isContainer = name === CONTAINER_OF_ENTITY && entities.includes(path);
  return isContainer || columnMaps.some(leadsOn) || entities.some(leadsOn) ? below : undefined;
}
