import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import type { Deviation } from './departures.ts';
import { isFacetOf, type Slot } from './facet-slots.ts';
import { readIdentity } from './run-facts.ts';

/** Members of the three events (OpenLineage 2-0-2); a kind may carry those of another. */
const TOP_LEVEL = new Set([
  'eventType',
  'eventTime',
  'producer',
  'schemaURL',
  'run',
  'job',
  'dataset',
  'inputs',
  'outputs',
]);

/** Where facets stand: below which member, and of which slot. */
const ENTITY_FACETS = { run: 'run', job: 'job', dataset: 'dataset' } as const;
const LISTS = {
  inputs: { facets: 'dataset', inputFacets: 'input', outputFacets: 'misplaced' },
  outputs: { facets: 'dataset', outputFacets: 'output', inputFacets: 'misplaced' },
} as const;

const UNDERSCORE = 0x5f;

/** How an event departs from the core schema beyond its head: members, lists and facets. Linear in its nodes. */
export function findStructuralDeviations(document: JsonDocument): Set<Deviation> {
  const reader = new StructureReader(document);
  reader.readEvent();
  return reader.deviations;
}

class StructureReader {
  readonly deviations = new Set<Deviation>();
  readonly #document: JsonDocument;

  constructor(document: JsonDocument) {
    this.#document = document;
  }

  readEvent(): void {
    const document = this.#document;
    const end = document.next(document.root);
    for (let key = document.root + 1; key < end; key = document.next(key + 1)) {
      const name = document.string(key) as string;
      const value = key + 1;
      if (!TOP_LEVEL.has(name)) this.deviations.add('unknown_top_level_member');
      else if (name === 'run' || name === 'job' || name === 'dataset') {
        this.#readFacets(document.get(value, 'facets'), ENTITY_FACETS[name]);
      } else if (name === 'inputs' || name === 'outputs') this.#readList(value, name);
    }
  }

  #readList(list: Node, name: keyof typeof LISTS): void {
    const document = this.#document;
    if (document.kind(list) !== Kind.array) {
      this.deviations.add('datasets_not_a_list');
      return;
    }
    for (const item of document.items(list)) {
      const identity = readIdentity(document, item);
      if (!identity) this.deviations.add('dataset_unreadable');
      else {
        if (identity.namespace === '') this.deviations.add('dataset_namespace_empty');
        if (identity.name === '') this.deviations.add('dataset_name_empty');
      }
      for (const [member, slot] of Object.entries(LISTS[name])) {
        this.#readFacets(document.get(item, member), slot);
      }
    }
  }

  #readFacets(facets: Node, slot: Slot | 'misplaced'): void {
    const document = this.#document;
    if (facets === NONE) return;
    if (slot === 'misplaced') this.deviations.add('facet_misplaced');
    if (!document.isObject(facets)) {
      this.deviations.add('facets_not_an_object');
      return;
    }
    const end = document.next(facets);
    for (let key = facets + 1; key < end; key = document.next(key + 1)) {
      if (slot !== 'misplaced' && !isFacetOf(document.string(key) as string, slot)) {
        this.deviations.add('facet_misplaced');
      }
      if (document.isObject(key + 1)) this.#readFacet(key + 1, slot);
      else this.deviations.add('facet_not_an_object');
    }
  }

  /** `_producer` and `_schemaURL` are required of every facet; the documented way to delete one is without them. */
  #readFacet(facet: Node, slot: Slot | 'misplaced'): void {
    const document = this.#document;
    const end = document.next(facet);
    let based = 0;
    let others = 0;
    let deleted = false;
    for (let key = facet + 1; key < end; key = document.next(key + 1)) {
      if (document.text.charCodeAt(document.start(key) + 1) !== UNDERSCORE) others++;
      else if (document.isNamed(key, '_producer') || document.isNamed(key, '_schemaURL')) based++;
      else if (document.isNamed(key, '_deleted')) deleted = document.raw(key + 1) === 'true';
      else others++;
    }
    if (deleted && slot !== 'job' && slot !== 'dataset') {
      this.deviations.add('facet_deleted_where_undefined');
    }
    if (based >= BASE_MEMBERS) return;
    const isDeletion = deleted && others === 0 && based === 0;
    this.deviations.add(isDeletion ? 'facet_deleted' : 'facet_without_producer_or_schema');
  }
}

const BASE_MEMBERS = 2;
