import type { AuditInterval } from '../domain/audit/population.ts';
import { LineageError } from '../domain/errors.ts';
import { HOUR_MILLIS } from '../domain/evidence/hour-shard.ts';

/** The event of every scheduled function: all optional, all recorded, so that any run can be replayed. */
export interface AuditRequest {
  readonly asOf?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The daily schedule looks back a little over a day, so that no hour falls between two runs. */
const LOOK_BACK_MILLIS = 26 * HOUR_MILLIS;
/** One function reads the interval hour by hour; longer ones are given in parts. */
export const MAX_INTERVAL_MILLIS = 31 * 24 * HOUR_MILLIS;

/**
 * Fills in what a request leaves open. Nobody knows what is to come: an `asOf` ahead of the clock would find digests
 * and reports missing that are not due, and the next runs would go on from it. So it counts as now, and an interval
 * ends with the present hour at the latest, which is listed as a whole.
 * @throws LineageError `invalid_interval` when a time is unreadable, reversed or ahead, or the interval too long
 */
export function auditInterval(request: AuditRequest, nowMillis: number): AuditInterval {
  const asOf = Math.min(timeOf(request.asOf, nowMillis), nowMillis);
  const to = timeOf(request.to, asOf);
  const from = timeOf(request.from, to - LOOK_BACK_MILLIS);
  if (to > Math.ceil(nowMillis / HOUR_MILLIS) * HOUR_MILLIS) {
    throw invalid('to lies ahead: it is the end of the present hour at the latest');
  }
  if (from >= to) throw invalid('from must be earlier than to');
  if (to - from > MAX_INTERVAL_MILLIS)
    throw invalid('from and to may be 31 days apart at the most');
  const [fromText, toText, asOfText] = [from, to, asOf].map((millis) =>
    new Date(millis).toISOString(),
  );
  return { from: fromText as string, to: toText as string, asOf: asOfText as string };
}

function timeOf(text: string | undefined, otherwise: number): number {
  const millis = text === undefined ? otherwise : Date.parse(text);
  if (Number.isNaN(millis)) throw invalid('asOf, from and to are RFC 3339 times');
  return millis;
}

function invalid(message: string): LineageError {
  return new LineageError('invalid_interval', message);
}
