import type { EventPlace } from './event-place.ts';
import {
  DROPPED_FACET,
  type FacetNode,
  facetNode,
  memberNode,
  textTreatment,
  treatmentOfAll,
  UNKNOWN_FACET,
} from './facet-map.ts';
import { CREDENTIAL, placeByName } from './member-names.ts';
import { judgeName, plainName } from './names.ts';
import { type PolicyNode, policyNode } from './policy.ts';

/** By plain name. */
const FACET_CONTAINERS: ReadonlySet<string> = new Set(['facets', 'inputfacets', 'outputfacets']);

/** Whether the members of a member of this name are facets. */
export function holdsFacets(name: string): boolean {
  return FACET_CONTAINERS.has(plainName(name));
}

/**
 * @param unknownFacet what a facet is that no table has
 * @param rootNode the rules for facets, which go for those inside a facet as well
 */
export function placeOfFacet(
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

/** The place of a member of a facet, or of what is below it. */
export function placeInFacet(name: string, above: EventPlace, rootNode: PolicyNode): EventPlace {
  const facet = memberNode(name, above.facet as FacetNode);
  const place = placeOf(facet, policyNode(name, above.policy), above, DROPPED);
  if (facet.treatment === 'facets') return withFacets(place, rootNode);
  const isTagValue = above.tagValue !== undefined && name === 'value';
  if (isTagValue && place.text !== 'subject') return { ...place, text: above.tagValue };
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
    entered: new Map(),
  };
}

const KEPT: FacetNode = { treatment: 'keep', otherwise: 'keep', members: new Map() };
const SUBJECT: FacetNode = { treatment: 'subject', otherwise: 'subject', members: new Map() };
const DROPPED: FacetNode = { treatment: 'drop', otherwise: 'drop', members: new Map() };

function facetByPolicy({ treatment }: PolicyNode, dropped: FacetNode): FacetNode | undefined {
  if (treatment === 'keep') return KEPT;
  if (treatment === 'scan') return UNKNOWN_FACET;
  if (treatment === 'subject') return SUBJECT;
  return treatment === 'drop' ? dropped : undefined;
}
