import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import type { EventPlace, RememberedPlaces } from './event-place.ts';
import { treatmentOfTag } from './facet-map.ts';
import { plainName } from './names.ts';
import { dialectName } from './sql/dialects.ts';
import type { Treatment } from './treatment.ts';

/** The place of an object by what it says about itself: the key of a tag, the dialect of a statement. */
export function enter(
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
    const name = document.string(key) as string;
    if (startsWithAnotherLetter(name, plain) || plainName(name) !== plain) continue;
    if (found !== undefined) return UNCLEAR;
    found = document.string(key + 1) ?? UNCLEAR;
  }
  return found;
}

/** A plain name begins as the name does, where that is with a letter: most of the others need no closer look. */
function startsWithAnotherLetter(name: string, plain: string): boolean {
  const lower = name.charCodeAt(0) | 0x20;
  return lower >= 0x61 && lower <= 0x7a && lower !== plain.charCodeAt(0);
}
