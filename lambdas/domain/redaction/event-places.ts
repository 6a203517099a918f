import type { SourcedDialect } from './event-dialect.ts';
import { type EventPlace, placeOutside, rememberedOf } from './event-place.ts';
import { enter } from './event-self.ts';
import { DROPPED_FACET, UNKNOWN_FACET } from './facet-map.ts';
import { holdsFacets, placeInFacet, placeOfFacet } from './facet-places.ts';
import { marker } from './marker.ts';
import { placeByName } from './member-names.ts';
import { plainName } from './names.ts';
import type { Places } from './places.ts';
import type { RedactionPolicy } from './policy.ts';

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
