import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import type { SourcedDialect } from './event-dialect.ts';
import {
  type FacetNode,
  facetNode,
  memberNode,
  textTreatment,
  treatmentOfTag,
} from './facet-map.ts';
import { marker } from './marker.ts';
import { placeByName } from './member-names.ts';
import { plainName } from './names.ts';
import type { Place, Places } from './redact-document.ts';
import { dialectName } from './sql/dialects.ts';
import type { Treatment } from './treatment.ts';

/** Where a value of an event stands, and all that follows from it. */
export interface EventPlace extends Place {
  /** Its members are facets. */
  readonly holdsFacets: boolean;
  /** In a facet: where. */
  readonly facet?: FacetNode;
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
export function eventPlaces(dialect?: SourcedDialect): Places<EventPlace> {
  return { root: { ...ROOT, ...(dialect && { dialect }) }, member, enter, inText, dropped };
}

const ROOT: EventPlace = { text: 'scan', other: 'keep', holdsFacets: false };

function member(name: string, above: EventPlace): EventPlace {
  if (above.holdsFacets) return facetPlace(name, above);
  if (above.facet !== undefined) return placeInFacet(name, above);
  const place: EventPlace = {
    ...ROOT,
    holdsFacets: FACET_CONTAINER.test(name),
    ...dialectOf(above),
  };
  return IDENTITY_MEMBERS.has(name)
    ? { ...place, text: 'identity' }
    : { ...place, ...placeByName(name) };
}

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

function inText(place: EventPlace): EventPlace {
  return { ...ROOT, facet: facetNode(''), ...dialectOf(place) };
}

function dropped(_place: EventPlace, rule: string): string {
  return JSON.stringify(marker(rule));
}

function facetPlace(name: string, container: EventPlace): EventPlace {
  return { ...placeOf(facetNode(name), container), facetName: plainName(name) };
}

function placeInFacet(name: string, above: EventPlace): EventPlace {
  const facet = memberNode(name, above.facet as FacetNode);
  const place = placeOf(facet, above);
  if (above.tagValue !== undefined && name === 'value') return { ...place, text: above.tagValue };
  if (place.text !== 'scan') return place;
  // A producer may have put facets where the standard knows of none.
  if (FACET_CONTAINER.test(name)) return { ...place, holdsFacets: true };
  return { ...place, ...placeByName(name) };
}

function placeOf(facet: FacetNode, above: EventPlace): EventPlace {
  const { treatment } = facet;
  return {
    text: textTreatment(facet),
    other: treatment === 'drop' || treatment === 'pseudonym' ? treatment : 'keep',
    isOpen: facet.members.size > 0,
    hasColumns: facet.any !== undefined,
    holdsFacets: treatment === 'facets',
    facet,
    ...(above.facetName !== undefined && { facetName: above.facetName }),
    ...dialectOf(above),
  };
}

function tagPlace(document: JsonDocument, node: Node): Pick<EventPlace, 'tagValue'> {
  const key = document.string(document.get(node, 'key'));
  const value = document.string(document.get(node, 'value'));
  if (key === undefined || value === undefined) return {};
  return { tagValue: treatmentOfTag(key, value) };
}

function dialectOf({ dialect }: Place): Pick<Place, 'dialect'> {
  return dialect === undefined ? {} : { dialect };
}
