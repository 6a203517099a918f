import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { HOUR_MILLIS } from '../evidence/hour-shard.ts';
import type { SealedStore } from '../integrity/verify-store.ts';

/**
 * How far the reports of each scheduled control may end apart, and how old the last may be. A daily control looks 26
 * hours back; refusals are reported for every hour, an hour or two after it.
 */
const CONTROLS = {
  'audit-retention': { apart: 26 * HOUR_MILLIS, overdue: 26 * HOUR_MILLIS },
  holds: { apart: 26 * HOUR_MILLIS, overdue: 26 * HOUR_MILLIS },
  verify: { apart: 26 * HOUR_MILLIS, overdue: 26 * HOUR_MILLIS },
  rejections: { apart: HOUR_MILLIS, overdue: 3 * HOUR_MILLIS },
} as const;

type Control = keyof typeof CONTROLS;

/** When the first report of each control ended, as far as any verification has seen. RFC 3339 UTC. */
export type ReportsSince = Readonly<Partial<Record<Control, string>>>;

/** A time for which a control left no report. RFC 3339 UTC. */
export interface ReportGap {
  readonly control: Control;
  readonly after: string;
  readonly until: string;
}

export interface ReportTimes {
  readonly since: ReportsSince;
  readonly seen: Readonly<Record<Control, number>>;
  readonly gaps: readonly ReportGap[];
}

/** `reports/<kind>/dt=<date>/<end of the interval without colons>-<id>.json` */
const REPORT_NAME = /\/(\d{4}-\d\d-\d\dT\d\d)(\d\d)(\d\d\.\d{3}Z)-[0-9a-f]{32}\.json$/;

/**
 * Lists the reports of every control, all of them, and says between which of them too much time passed.
 * @param watchedSince when the first verification ran: a control that never reported is missed from then on
 * @throws AccessDeniedError
 */
export async function checkReportTimes(
  store: SealedStore,
  {
    asOf,
    since,
    watchedSince,
  }: { readonly asOf: string; readonly since: ReportsSince; readonly watchedSince: string },
): Promise<ReportTimes> {
  const now = Date.parse(asOf);
  const gaps: ReportGap[] = [];
  const first: Partial<Record<Control, string>> = {};
  const seen = {} as Record<Control, number>;
  for (const [control, { apart, overdue }] of Object.entries(CONTROLS) as Array<
    [Control, (typeof CONTROLS)[Control]]
  >) {
    const ends: number[] = [];
    for await (const { key, deleteMarker } of store.list(`${EvidencePrefix.reports}${control}/`)) {
      const end = deleteMarker ? Number.NaN : endOf(key);
      if (!(end <= now)) continue; // of a replay that spoke for a time to come
      ends.push(end);
    }
    ends.sort((a, b) => a - b);
    seen[control] = ends.length;
    const known = since[control] === undefined ? undefined : Date.parse(since[control]);
    const begin = Math.min(known ?? Number.POSITIVE_INFINITY, ends[0] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(begin)) first[control] = new Date(begin).toISOString();
    if (known !== undefined && !ends.includes(known)) {
      gaps.push(gap(control, known, ends.find((end) => end > known) ?? now));
      if (ends.length === 0) continue;
    }
    let before = ends[0] ?? Date.parse(watchedSince);
    for (const end of ends) {
      if (end - before > apart) gaps.push(gap(control, before, end));
      before = end;
    }
    if (now - before > overdue) gaps.push(gap(control, before, now));
  }
  return { since: first, seen, gaps };
}

function gap(control: Control, after: number, until: number): ReportGap {
  const [from, to] = [after, until].map((millis) => new Date(millis).toISOString());
  return { control, after: from as string, until: to as string };
}

function endOf(key: string): number {
  const [, hour, minutes, seconds] = REPORT_NAME.exec(key) ?? [];
  return Date.parse(`${hour}:${minutes}:${seconds}`);
}
