import { DAY_MILLIS } from '../evidence/retention.ts';
import { sha256Hex } from '../store-key.ts';

/**
 * Slices of one run, today's among them: days without a run are made up for in a few runs, and none takes many times
 * as long as the others.
 */
const MAX_SLICES = 4;

/** 32 bits spread names evenly over any period. */
const SPREAD_HEX_DIGITS = 8;

/** How far the slices have been looked at. Days are counted since 1970. */
export interface SliceState {
  /** The last day whose slice was looked at to its end. */
  readonly through: number;
  /** A run that ended in the middle: the last day of its slices, and the folder it finished last. */
  readonly broken?: { readonly to: number; readonly after: string };
}

/** Slices that one run looks at: those of the days `from` to `to`, behind the folder `after`. */
export interface DueSlices {
  readonly from: number;
  readonly to: number;
  readonly after?: string;
  /** By the name of what is cut into slices. */
  readonly includes: (name: string) => boolean;
}

export function dayOf(millis: number): number {
  return Math.floor(millis / DAY_MILLIS);
}

/**
 * Which slices are due. Everything has one, by a hash of its name, and its turn comes every `periodDays` days, so that
 * the slices of as many days in a row are everything.
 */
export function dueSlices(
  state: SliceState | undefined,
  today: number,
  periodDays: number,
): DueSlices {
  const { through = today - 1, broken } = state ?? {};
  // What is older than a period has its turn again among the days of the last one.
  const next = Math.max(through + 1, today - periodDays + 1);
  const [from, to] = broken
    ? [through + 1, broken.to]
    : through >= today
      ? [today, today]
      : [next, Math.min(today, next + MAX_SLICES - 1)];
  const turns = new Set<number>();
  for (let day = Math.max(from, to - periodDays + 1); day <= to; day++) turns.add(day % periodDays);
  return {
    from,
    to,
    ...(broken && { after: broken.after }),
    includes: (name) => turns.has(sliceOf(name, periodDays)),
  };
}

/** Where the next run goes on. @param after the folder that was finished last; absent when all of them were */
export function advance({ from, to }: DueSlices, after: string | undefined): SliceState {
  return after === undefined ? { through: to } : { through: from - 1, broken: { to, after } };
}

/**
 * Where the next run goes on when something might not be looked at: the same slices have their turn again, together with
 * the next day's. Of as many as one run takes the oldest waits for its next period, so that a right which stays lost holds
 * up no other slice.
 */
export function retry({ from, to }: DueSlices): SliceState {
  return { through: to - from + 1 < MAX_SLICES ? from - 1 : from };
}

function sliceOf(name: string, periodDays: number): number {
  return Number.parseInt(sha256Hex(name).slice(0, SPREAD_HEX_DIGITS), 16) % periodDays;
}
