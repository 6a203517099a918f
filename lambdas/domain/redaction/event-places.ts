import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import type { SourcedDialect } from './event-dialect.ts';
import {
  DROPPED_FACET,
  type FacetNode,
  facetNode,
  memberNode,
  textTreatment,
  treatmentOfTag,
  UNKNOWN_FACET,
} from './facet-map.ts';
import { marker } from './marker.ts';
import { placeByName } from './member-names.ts';
import { plainName } from './names.ts';
import { type PolicyNode, policyNode, type RedactionPolicy } from './policy.ts';
import type { Place, Places } from './redact-document.ts';
import { dialectName } from './sql/dialects.ts';
import type { Treatment } from './treatment.ts';

/** Where a value of an event stands, and all that follows from it. */
export interface EventPlace extends Place {
  /** Its members are facets. */
  readonly holdsFacets: boolean;
  /** In a facet: where. */
  readonly facet?: FacetNode;
  /** In a facet: where among the rules of the policy. Above: where facets stand. */
  readonly policy: PolicyNode;
  /** Which facet, by plain name. */
  readonly facetName?: string;
  /** What a tag's value gets, by its key. */
  readonly tagValue?: Treatment;
}

const FACET_CONTAINER = /^(?:input|output)?facets$/i;

/** Names that lineage is joined on, outside of facets. */
const IDENTITY_MEMBERS = new Set([
  'namespace',
  'name',
  'runId',
  'producer',
  'schemaURL',
  '_producer',
  '_schemaURL',
]);

/**
 * The places of an OpenLineage event.
 * @param dialect of its statements, for all that do not name their own
 */
export function eventPlaces(
  { rootNode, rules }: RedactionPolicy,
  dialect?: SourcedDialect,
): Places<EventPlace> {
  const root: EventPlace = {
    text: 'scan',
    other: 'keep',
    holdsFacets: false,
    policy: rootNode,
    ...(dialect && { dialect }),
  };
  const unknown = rules.strictUnknown ? DROPPED_FACET : UNKNOWN_FACET;

  function member(name: string, above: EventPlace): EventPlace {
    if (above.holdsFacets) {
      const policy = policyNode(name, rootNode);
      const place = placeOf(facetNode(name) ?? unknown, policy, above, DROPPED_FACET);
      return { ...place, facetName: plainName(name) };
    }
    if (above.facet !== undefined) return placeInFacet(name, above);
    const place: EventPlace = {
      ...root,
      holdsFacets: FACET_CONTAINER.test(name),
      ...dialectOf(above),
    };
    return IDENTITY_MEMBERS.has(name)
      ? { ...place, text: 'identity' }
      : { ...place, ...placeByName(name) };
  }

  const inText = (place: EventPlace): EventPlace => ({
    ...root,
    facet: UNKNOWN_FACET,
    policy: NO_RULES,
    ...dialectOf(place),
  });

  return { root, member, enter, inText, dropped };
}

const NO_RULES: PolicyNode = { steps: [] };

function enter(document: JsonDocument, node: Node, place: EventPlace): EventPlace {
  if (place.facetName === 'tags') return { ...place, ...tagPlace(document, node) };
  if (place.facetName === 'sql') {
    const name = document.string(document.get(node, 'dialect'));
    if (name !== undefined && dialectName(name) !== undefined) {
      return { ...place, dialect: { name, source: 'facet' } };
    }
  }
  return place;
}

function dropped(_place: EventPlace, rule: string): string {
  return JSON.stringify(marker(rule));
}

function placeInFacet(name: string, above: EventPlace): EventPlace {
  const facet = memberNode(name, above.facet as FacetNode);
  const place = placeOf(facet, policyNode(name, above.policy), above, DROPPED);
  if (above.tagValue !== undefined && name === 'value') return { ...place, text: above.tagValue };
  if (place.text !== 'scan') return place;
  // A producer may have put facets where the standard knows of none.
  if (FACET_CONTAINER.test(name)) return { ...place, holdsFacets: true };
  return { ...place, ...placeByName(name) };
}

/** @param dropped what a rule of the policy that drops makes of the place */
function placeOf(
  builtIn: FacetNode,
  policy: PolicyNode,
  above: EventPlace,
  dropped: FacetNode,
): EventPlace {
  const facet = facetByPolicy(policy, dropped) ?? builtIn;
  const { treatment } = facet;
  const hasMoreRules = policy.steps.length > 0;
  return {
    text: textTreatment(facet),
    other: treatment === 'drop' || treatment === 'pseudonym' ? treatment : 'keep',
    isOpen: facet.members.size > 0 || hasMoreRules,
    isUntouched: facet === KEPT && !hasMoreRules,
    hasColumns: facet.any !== undefined,
    holdsFacets: treatment === 'facets',
    facet,
    policy,
    ...(above.facetName !== undefined && { facetName: above.facetName }),
    ...dialectOf(above),
  };
}

const KEPT: FacetNode = { treatment: 'keep', otherwise: 'keep', members: new Map() };
const DROPPED: FacetNode = { treatment: 'drop', otherwise: 'drop', members: new Map() };

function facetByPolicy({ treatment }: PolicyNode, dropped: FacetNode): FacetNode | undefined {
  if (treatment === 'keep') return KEPT;
  if (treatment === 'scan') return UNKNOWN_FACET;
  return treatment === 'drop' ? dropped : undefined;
}

function tagPlace(document: JsonDocument, node: Node): Pick<EventPlace, 'tagValue'> {
  // Of two keys or two values nobody knows which a reader takes.
  if (document.members(node).length !== namesOf(document, node).size) return {};
  const key = document.string(document.get(node, 'key'));
  const value = document.string(document.get(node, 'value'));
  if (key === undefined || value === undefined) return {};
  return { tagValue: treatmentOfTag(key, value) };
}

function namesOf(document: JsonDocument, node: Node): Set<string> {
  return new Set(
    document.members(node).map(({ key }) => plainName(document.string(key) as string)),
  );
}

function dialectOf({ dialect }: Place): Pick<Place, 'dialect'> {
  return dialect === undefined ? {} : { dialect };
}
