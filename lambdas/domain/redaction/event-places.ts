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
import { copyOf } from './memory.ts';
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
  /** Places of its members that were asked for, and what it became by what an object says about itself. */
  readonly members: Map<string, EventPlace>;
  readonly entered: Map<string, EventPlace>;
}

/** Events have some hundred places, and most events the same ones. */
const MAX_REMEMBERED_PLACES = 10_000;

/** The places of a policy. When a stranger's names have filled it, it starts over with the next event. */
class RememberedPlaces {
  private roots = new Map<string, EventPlace>();
  private size = 0;

  root(policy: PolicyNode, dialect: SourcedDialect | undefined): EventPlace {
    if (this.size > MAX_REMEMBERED_PLACES) {
      this.roots = new Map();
      this.size = 0;
    }
    const key = dialect === undefined ? '' : `${dialect.source} ${dialect.name}`;
    return this.find(this.roots, key, () => placeOutside(policy, dialect));
  }

  find(among: Map<string, EventPlace>, key: string, make: () => EventPlace): EventPlace {
    const known = among.get(key);
    if (known !== undefined) return known;
    const place = make();
    if (this.size <= MAX_REMEMBERED_PLACES) {
      this.size++;
      among.set(copyOf(key), place);
    }
    return place;
  }
}

const REMEMBERED = new WeakMap<RedactionPolicy, RememberedPlaces>();

function rememberedOf(policy: RedactionPolicy): RememberedPlaces {
  const known = REMEMBERED.get(policy) ?? new RememberedPlaces();
  REMEMBERED.set(policy, known);
  return known;
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
export function eventPlaces(policy: RedactionPolicy, dialect?: SourcedDialect): Places<EventPlace> {
  const { rootNode, rules } = policy;
  const unknownFacet = rules.strictUnknown ? DROPPED_FACET : UNKNOWN_FACET;
  const remembered = rememberedOf(policy);

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
    root: remembered.root(rootNode, dialect),
    known: (name, above) => (above.hasColumns ? undefined : above.members.get(name)),
    member: (name, above) => {
      // Thousands of columns have one place.
      const key = isAnyColumn(name, above) ? '*' : name;
      return remembered.find(above.members, key, () => placeOfMember(name, above));
    },
    enter: (document, node, place) => enter(document, node, place, remembered),
    // A text that is printed JSON stands for what is in it.
    inText: (place) => place,
    dropped: (_place, rule) => JSON.stringify(marker(rule)),
  };
}

function isAnyColumn(name: string, { hasColumns, facet, policy }: EventPlace): boolean {
  return hasColumns === true && policy.steps.length === 0 && !facet?.members.has(plainName(name));
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
    entered: new Map(),
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
    entered: new Map(),
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
function enter(
  document: JsonDocument,
  node: Node,
  place: EventPlace,
  remembered: RememberedPlaces,
): EventPlace {
  if (place.facetName === 'tags') {
    const value = tagValue(document, node);
    if (value === undefined) return place;
    return remembered.find(place.entered, value, () => ({
      ...withoutMembers(place),
      tagValue: value,
    }));
  }
  if (place.facetName === 'sql') {
    const own = ownDialect(document, node);
    if (own === undefined) return place;
    const dialect = own === UNCLEAR ? undefined : { name: own, source: 'facet' as const };
    return remembered.find(place.entered, own, () => ({ ...withoutMembers(place), dialect }));
  }
  return place;
}

function withoutMembers(place: EventPlace): EventPlace {
  return { ...place, members: new Map(), entered: new Map() };
}

function tagValue(document: JsonDocument, node: Node): Treatment | undefined {
  const key = soleText(document, node, 'key');
  if (key === undefined || key === UNCLEAR) return undefined;
  const value = soleText(document, node, 'value');
  return value === undefined || value === UNCLEAR ? undefined : treatmentOfTag(key, value);
}

/** The facet's own word is the strongest, but one that nobody knows counts as none. */
function ownDialect(document: JsonDocument, node: Node): string | undefined {
  const name = soleText(document, node, 'dialect');
  if (name === undefined) return undefined;
  return dialectName(name) === undefined ? UNCLEAR : name.trim();
}

/** What stands for two members of one name, of which nobody knows what a reader takes, or for one that is no text. */
const UNCLEAR = '';

/** The text of the one member of this plain name; undefined when there is none. */
function soleText(document: JsonDocument, node: Node, plain: string): string | undefined {
  const end = document.next(node);
  let found: string | undefined;
  for (let key = node + 1; key < end; key = document.next(key + 1)) {
    if (plainName(document.string(key) as string) !== plain) continue;
    if (found !== undefined) return UNCLEAR;
    found = document.string(key + 1) ?? UNCLEAR;
  }
  return found;
}
