import type { SourcedDialect } from './event-dialect.ts';
import type { FacetNode } from './facet-map.ts';
import { copyOf } from './memory.ts';
import type { Place } from './places.ts';
import type { PolicyNode, RedactionPolicy } from './policy.ts';
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
export class RememberedPlaces {
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

export function rememberedOf(policy: RedactionPolicy): RememberedPlaces {
  const known = REMEMBERED.get(policy);
  if (known !== undefined) return known;
  const made = new RememberedPlaces();
  REMEMBERED.set(policy, made);
  return made;
}

/** The place of an event, and of what stands outside of its facets. */
export function placeOutside(policy: PolicyNode, dialect: SourcedDialect | undefined): EventPlace {
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
