import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { storeKey } from '../evidence/store-key.ts';

/** Who said what when, of one step of a hold. */
interface HoldStatement {
  readonly reason: string;
  /** The producer whose key or role asked for it. */
  readonly by: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** The run that a hold is on. */
export interface HeldRun {
  readonly runId: string;
  readonly runKey: string;
  /** Whose events: all groups' when absent, and always one group's for an id that is no UUID. */
  readonly group?: string;
}

/** One step of a legal hold: the locked document, and, of the last step, the row. */
export interface Hold extends HeldRun, HoldStatement {
  readonly hold: 1;
  /** Hash of run, group and reference: asked for twice it is the same hold. */
  readonly id: string;
  /** Steps are counted from 1: odd ones set the hold, even ones release it. */
  readonly number: number;
  readonly status: 'active' | 'released';
  /** What the case is called outside: several holds on one run differ by it. */
  readonly reference: string;
  /** Of a release: the step that it ends. */
  readonly set?: HoldStatement;
}

/** How a hold stands towards a subject: an object version, or a trace. Active while the number is odd. */
export interface HoldCover extends Pick<Hold, 'number' | 'reference'> {
  readonly holdId: string;
}

export function holdIdOf({ runKey, group }: HeldRun, reference: string): string {
  return storeKey('hold', runKey, group ?? '', reference);
}

export function coverOf({ id, number, reference }: Hold): HoldCover {
  return { holdId: id, number, reference };
}

export function isActive({ number }: Pick<Hold, 'number'>): boolean {
  return number % 2 === 1;
}

/** Whether a hold is on what a group sent. */
export function concerns(hold: HeldRun, group: string): boolean {
  return hold.group === undefined || hold.group === group;
}

/** `holds/<id>/<number>-set.json` or `-released.json`; eight digits, so that a listing is in order. */
export function holdKey(id: string, number: number): string {
  return `${holdFolder(id)}${digits(number)}-${isActive({ number }) ? 'set' : 'released'}.json`;
}

/** What came of a step, named by its content: what is found again is not written again. */
export function outcomeKey({ id, number }: Hold, contentHash: string): string {
  return `${holdFolder(id)}${digits(number)}-outcome-${contentHash.slice(0, 16)}.json`;
}

const holdFolder = (id: string) => `${EvidencePrefix.holds}${id}/`;
const digits = (number: number) => String(number).padStart(8, '0');

/** The step that stands behind a hold, itself while it is active. */
export function setStepOf({ set, ...hold }: Hold): Hold {
  return set ? { ...hold, number: hold.number - 1, status: 'active', ...set } : hold;
}

/**
 * What a document below `holds/` puts into the index (`HoldIndex.put`), in any order of documents; nothing for
 * the outcome of a step. Covers are no part of it: {@link reconcileHold} writes them anew for each active hold.
 */
export function holdRowsOf(document: unknown): Hold[] {
  const { hold } = document as Partial<Hold>;
  return hold === 1 ? [document as Hold] : [];
}
