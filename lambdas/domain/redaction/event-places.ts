import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import type { SourcedDialect } from './event-dialect.ts';
import {
  DROPPED_FACET,
  type FacetNode,
  facetNode,
  memberNode,
  textTreatment,
  treatmentOfAll,
  treatmentOfTag,
  UNKNOWN_FACET,
} from './facet-map.ts';
import { marker } from './marker.ts';
import { CREDENTIAL, placeByName } from './member-names.ts';
import { judgeName, plainName } from './names.ts';
import { type PolicyNode, policyNode, type RedactionPolicy } from './policy.ts';
import type { Place, Places } from './redact-document.ts';
import { dialectName } from './sql/dialects.ts';
import type { Treatment } from './treatment.ts';

/** Where a value of an event stands, and all that follows from it. */
export interface EventPlace extends Place {
  /** Its members are facets. */
  readonly holdsFacets: boolean;
  /** In a facet: where. */
  readonly facet: FacetNode | undefined;
  /** Where among the rules of the policy. */
  readonly policy: PolicyNode;
  /** Which facet, by plain name. */
  readonly facetName: string | undefined;
  /** What a tag's value gets, by its key. */
  readonly tagValue: Treatment | undefined;
  /** Places of its members that were asked for: items of an array ask for the same ones. */
  readonly members: Map<string, EventPlace>;
}

/** By plain name. */
const FACET_CONTAINERS: ReadonlySet<string> = new Set(['facets', 'inputfacets', 'outputfacets']);

/** Names that lineage is joined on, outside of facets. */
const IDENTITY_MEMBERS: ReadonlySet<string> = new Set([
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
  const unknownFacet = rules.strictUnknown ? DROPPED_FACET : UNKNOWN_FACET;

  function member(name: string, above: EventPlace): EventPlace {
    const known = above.members.get(name);
    if (known !== undefined) return known;
    const place = placeOfMember(name, above);
    above.members.set(name, place);
    return place;
  }

  function placeOfMember(name: string, above: EventPlace): EventPlace {
    if (above.holdsFacets) {
      return placeOfFacet(name, above, unknownFacet, rootNode);
    }
    if (above.facet !== undefined) return placeInFacet(name, above, rootNode);
    const place = placeOutside(rootNode, above.dialect);
    if (IDENTITY_MEMBERS.has(name)) return { ...place, text: 'identity' };
    if (holdsFacets(name)) return { ...place, holdsFacets: true };
    return { ...place, ...placeByName(name) };
  }

  return {
    root: placeOutside(rootNode, dialect),
    member,
    enter,
    // A text that is printed JSON stands for what is in it.
    inText: (place) => place,
    dropped: (_place, rule) => JSON.stringify(marker(rule)),
  };
}

function holdsFacets(name: string): boolean {
  return FACET_CONTAINERS.has(plainName(name));
}

function placeOutside(policy: PolicyNode, dialect: SourcedDialect | undefined): EventPlace {
  return {
    text: 'scan',
    other: 'keep',
    isOpen: false,
    isUntouched: false,
    hasColumns: false,
    rule: undefined,
    dialect,
    holdsFacets: false,
    facet: undefined,
    policy,
    facetName: undefined,
    tagValue: undefined,
    members: new Map(),
  };
}

function placeOfFacet(
  name: string,
  above: EventPlace,
  unknownFacet: FacetNode,
  rootNode: PolicyNode,
): EventPlace {
  const known = facetNode(name);
  const policy = policyNode(name, above.policy);
  const place = placeOf(known ?? unknownFacet, policy, above, DROPPED_FACET);
  const named = known === undefined ? scannedByName(name, place, rootNode) : place;
  return { ...named, facetName: plainName(name) };
}

function placeInFacet(name: string, above: EventPlace, rootNode: PolicyNode): EventPlace {
  const facet = memberNode(name, above.facet as FacetNode);
  const place = placeOf(facet, policyNode(name, above.policy), above, DROPPED);
  if (facet.treatment === 'facets') return withFacets(place, rootNode);
  if (above.tagValue !== undefined && name === 'value') return { ...place, text: above.tagValue };
  if (place.text === 'scan') return scannedByName(name, place, rootNode);
  const isUnlisted = place.text === 'drop' && !above.hasColumns;
  return isUnlisted && judgeName(name).isSecret ? { ...place, ...CREDENTIAL } : place;
}

/** A producer may have put facets, a statement or a secret where the standard knows of none. */
function scannedByName(name: string, place: EventPlace, rootNode: PolicyNode): EventPlace {
  if (place.text !== 'scan') return place;
  return holdsFacets(name) ? withFacets(place, rootNode) : { ...place, ...placeByName(name) };
}

/** Facets inside a facet are another's: rules for facets go for them as well, and what its dialect is nobody says. */
function withFacets(place: EventPlace, { steps }: PolicyNode): EventPlace {
  if (place.isUntouched || place.text === 'drop') return place;
  const policy = { steps: [...place.policy.steps, ...steps] };
  return { ...place, text: 'scan', holdsFacets: true, dialect: undefined, policy };
}

/** @param dropped what a rule of the policy that drops makes of the place */
function placeOf(
  builtIn: FacetNode,
  policy: PolicyNode,
  above: EventPlace,
  dropped: FacetNode,
): EventPlace {
  const facet = facetByPolicy(policy, dropped) ?? builtIn;
  const hasMoreRules = policy.steps.length > 0;
  return {
    text: textTreatment(facet),
    other: treatmentOfAll(facet) ?? 'keep',
    // A list of statements is walked.
    isOpen: facet.treatment !== 'drop' || facet.members.size > 0 || hasMoreRules,
    isUntouched: facet === KEPT && !hasMoreRules,
    hasColumns: facet.any !== undefined,
    rule: undefined,
    dialect: above.dialect,
    holdsFacets: false,
    facet,
    policy,
    facetName: above.facetName,
    tagValue: undefined,
    members: new Map(),
  };
}

const KEPT: FacetNode = { treatment: 'keep', otherwise: 'keep', members: new Map() };
const DROPPED: FacetNode = { treatment: 'drop', otherwise: 'drop', members: new Map() };

function facetByPolicy({ treatment }: PolicyNode, dropped: FacetNode): FacetNode | undefined {
  if (treatment === 'keep') return KEPT;
  if (treatment === 'scan') return UNKNOWN_FACET;
  return treatment === 'drop' ? dropped : undefined;
}

/** What an object says about itself. */
function enter(document: JsonDocument, node: Node, place: EventPlace): EventPlace {
  if (place.facetName === 'tags') {
    return { ...place, tagValue: tagValue(document, node), members: new Map() };
  }
  if (place.facetName === 'sql') return withOwnDialect(document, node, place);
  return place;
}

/** Of two keys or two values nobody knows which a reader takes. */
function tagValue(document: JsonDocument, node: Node): Treatment | undefined {
  const [key, ...moreKeys] = textsOf(document, node, 'key');
  const [value, ...moreValues] = textsOf(document, node, 'value');
  const isClear = moreKeys.length === 0 && moreValues.length === 0;
  return isClear && key !== undefined && value !== undefined
    ? treatmentOfTag(key, value)
    : undefined;
}

/** The facet's own word is the strongest, but of two words, or one that nobody knows, none counts. */
function withOwnDialect(document: JsonDocument, node: Node, place: EventPlace): EventPlace {
  const names = textsOf(document, node, 'dialect');
  const [name] = names;
  if (names.length === 0) return place;
  const isKnown = names.length === 1 && name !== undefined && dialectName(name) !== undefined;
  const dialect: SourcedDialect | undefined = isKnown ? { name, source: 'facet' } : undefined;
  return { ...place, dialect, members: new Map() };
}

/** Values of all members of this plain name; undefined for one that is no text. */
function textsOf(document: JsonDocument, node: Node, plain: string): Array<string | undefined> {
  return document
    .members(node)
    .filter(({ key }) => plainName(document.string(key) as string) === plain)
    .map(({ value }) => document.string(value));
}
