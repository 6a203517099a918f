import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import type { SourcedDialect } from './event-dialect.ts';
import type { Treatment } from './treatment.ts';

/** What is known of where a value stands; made once for each member, shared by the items of an array. */
export interface Place {
  /** What a text here gets. */
  readonly text: Treatment;
  /** What anything else here gets: `drop` replaces an object or array whole, unless {@link Place.isOpen}. */
  readonly other: 'keep' | 'drop' | 'pseudonym' | 'subject';
  /** Some members are kept of what is dropped here. */
  readonly isOpen?: boolean;
  /** Nothing here or below is looked at: the policy says so. */
  readonly isUntouched?: boolean;
  /** The names of the members are names of columns. */
  readonly hasColumns?: boolean;
  /** A text here is a name, as those of members are. */
  readonly isName?: boolean;
  /** What is dropped here is listed under this rule. */
  readonly rule?: string;
  /** Of the statements here. */
  readonly dialect?: SourcedDialect;
}

/**
 * Says what happens where. Must be pure: a replay has to yield the same bytes. Whatever depends on the
 * way down to a value is carried in its place, so that depth and long names are paid for once and not
 * again for every value below them.
 */
export interface Places<P extends Place> {
  /** The place of the document itself. */
  readonly root: P;
  /** The place of a member by a name that was asked for before, and so is no data; it needs no second judgement. */
  known?(name: string, above: P): P | undefined;
  /** The place of a member, given the place of its object. */
  member(name: string, above: P): P;
  /** The place of an object once its members are known: what it says about itself counts for them. */
  enter?(document: JsonDocument, node: Node, place: P): P;
  /** The place of a JSON document inside a text. */
  inText(place: P): P;
  /** JSON put in the place of a dropped value. */
  dropped(place: P, rule: string): string;
}
