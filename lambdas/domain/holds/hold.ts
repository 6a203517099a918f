import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { storeKey } from '../store-key.ts';

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

/** The step and its number by a key; undefined for any other key, outcomes included. */
export function stepOfKey(
  key: string,
): { readonly id: string; readonly number: number } | undefined {
  const [, id = '', number] = STEP_KEY.exec(key) ?? [];
  const step = { id, number: Number(number) };
  return key === holdKey(step.id, step.number) ? step : undefined;
}

const STEP_KEY = /^[^/]+\/([0-9a-f]{64})\/(\d{8})-(?:set|released)\.json$/;

/** The step that stands under a key; undefined when what stands there is no step of that hold. */
export function readStep(bytes: Uint8Array, key: string): Hold | undefined {
  try {
    const document: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isHold(document) && holdKey(document.id, document.number) === key ? document : undefined;
  } catch {
    return undefined; // what the parser says quotes its input
  }
}

/** Whether something is a step of a hold, and of the one that its id names. */
export function isHold(value: unknown): value is Hold {
  const { hold, id, number, status, runId, runKey, group, reference, set } = members(value);
  const isStep =
    hold === 1 &&
    typeof runId === 'string' &&
    typeof runKey === 'string' &&
    typeof reference === 'string' &&
    (group === undefined || typeof group === 'string') &&
    id === holdIdOf({ runId, runKey, ...(group !== undefined && { group }) }, reference);
  if (!isStep || !Number.isSafeInteger(number) || (number as number) < 1) return false;
  const isOn = isActive({ number: number as number });
  return (
    status === (isOn ? 'active' : 'released') && isStatement(value) && isOn !== isStatement(set)
  );
}

function isStatement(value: unknown): boolean {
  const { reason, by, at } = members(value);
  const isSaid = typeof reason === 'string' && typeof by === 'string' && typeof at === 'string';
  return isSaid && !Number.isNaN(Date.parse(at));
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * What a document below `holds/` puts into the index (`HoldIndex.put`), in any order of documents; nothing for
 * the outcome of a step, or what is no step of ours. Covers are no part of it: {@link reconcileHold} writes them anew
 * for each active hold.
 */
export function holdRowsOf(document: unknown): Hold[] {
  return isHold(document) ? [document] : [];
}
