import { groupBy, sum } from '../collections.ts';
import { LineageError } from '../errors.ts';
import { HOUR_MILLIS, hoursBetween } from '../evidence/hour-shard.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { openFinding } from '../findings.ts';
import type { AuditInterval } from './population.ts';
import { COUNTER_DAYS, type RejectionCount } from './rejections.ts';
import { identified, type Report } from './report.ts';

/** Everything that was refused for good in one UTC hour, by producer and rule. */
export interface RejectionReport extends Report {
  readonly kind: 'rejections';
  /** `open` when the hour could still be counted in: only when such an hour was asked for. */
  readonly status: 'complete' | 'open';
  readonly population: {
    /** An event that breaks two rules is counted under each of them. */
    readonly refused: number;
    readonly producers: number;
  };
  readonly rejections: readonly RejectionCount[];
}

/**
 * A refusal is counted before it is answered, so within the 4 s of its request; the rest is for clocks that differ.
 * What an answer did not wait for may be counted any time later, when a container that was frozen goes on: while the
 * schedule looks back on that hour, a second report beside the first has it.
 */
const CLOSED_AFTER_MILLIS = 5 * 60_000;

/** An hour to report, and the instant for which its report speaks. RFC 3339 UTC. */
export interface ReportedHour extends AuditInterval {
  /** `YYYY-MM-DDTHH` */
  readonly hour: string;
  readonly closed: boolean;
}

/**
 * The hours that an interval touches, each whole. A closed hour is reported for the instant at which it
 * closed, so that every run over it makes the same report.
 * @throws LineageError `counters_expired` when the counters of an hour may be gone
 */
export function reportedHours({ from, to, asOf }: AuditInterval, nowMillis: number) {
  const asOfMillis = Date.parse(asOf);
  return hoursBetween(Date.parse(from), Date.parse(to)).map((hour): ReportedHour => {
    const start = Date.parse(`${hour}:00:00Z`);
    const end = start + HOUR_MILLIS;
    // An hour whose counters were dropped would read as one in which nothing was refused.
    if (start < nowMillis - COUNTER_DAYS * DAY_MILLIS) {
      throw new LineageError(
        'counters_expired',
        `refusals are counted for ${COUNTER_DAYS} days: read the report that was made then`,
      );
    }
    const closed = end + CLOSED_AFTER_MILLIS <= asOfMillis;
    const [fromText, toText, asOfText] = [
      start,
      end,
      closed ? end + CLOSED_AFTER_MILLIS : asOfMillis,
    ].map((millis) => new Date(millis).toISOString()) as [string, string, string];
    return { hour, closed, from: fromText, to: toText, asOf: asOfText };
  });
}

/** Composes the report of one hour, with one finding for each producer that was refused something. */
export function rejectionReport(
  { hour, closed, ...interval }: ReportedHour,
  counts: readonly RejectionCount[],
): RejectionReport {
  const rejections = counts
    .toSorted((a, b) => compare([a.producerId, a.rule], [b.producerId, b.rule]))
    .map(({ samples, ...count }) => ({
      ...count,
      samples: samples.toSorted((a, b) => compare([a.at, a.requestId], [b.at, b.requestId])),
    }));
  const byProducer = groupBy(rejections, ({ producerId }) => producerId);
  return identified({
    kind: 'rejections',
    ...interval,
    status: closed ? 'complete' : 'open',
    population: { refused: refusedOf(rejections), producers: byProducer.size },
    rejections,
    findings: [...byProducer].map(([producerId, rows]) =>
      openFinding('events_refused', {
        plane: 'store',
        subject: `${hour}/${producerId}`,
        at: interval.asOf,
        runKeys: [],
        detail: { refused: refusedOf(rows), rules: rows.length },
      }),
    ),
  });
}

function refusedOf(counts: readonly RejectionCount[]): number {
  return sum(counts.map(({ refused }) => refused));
}

function compare(a: readonly [string, string], b: readonly [string, string]): number {
  const [left, right] = a[0] === b[0] ? [a[1], b[1]] : [a[0], b[0]];
  return left < right ? -1 : Number(left > right);
}
