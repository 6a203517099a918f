import type { ListedVersion } from './ports.ts';
import { DAY_MILLIS, type RetentionPolicy } from './retention.ts';

/** A record of a series, such as the changes of a producer or the steps of a hold: each is written once, under the next number. */
export interface NumberedRecord {
  readonly number: number;
  readonly version: ListedVersion;
}

export interface Series<T> {
  /** In the order of their numbers. */
  readonly inTurn: readonly T[];
  /** What nobody of ours can have written: it says nothing about the series. */
  readonly outOfTurn: readonly T[];
}

/**
 * Tells the records of a series from what was put among them. S3 says when each was stored, which nobody can forge:
 * numbers go up with it, and none is left out while the record before must still be there, since the audit keeps the
 * last one of a series for `recordDays`. Whoever may put the next number is believed: that right is the one to change.
 * @param mayLeap whether a record is believed although the one before is not there
 */
export function seriesOf<T extends NumberedRecord>(
  records: readonly T[],
  { recordDays }: Pick<RetentionPolicy, 'recordDays'>,
  nowMillis: number,
  mayLeap: (record: T) => boolean = () => false,
): Series<T> {
  const keptFrom = nowMillis - recordDays * DAY_MILLIS;
  const inTurn: T[] = [];
  const outOfTurn: T[] = [];
  for (const record of [...records].sort(byStorage)) {
    const last = inTurn.at(-1)?.number;
    const follows =
      last === undefined ||
      record.number === last + 1 ||
      (record.number > last &&
        (mayLeap(record) || Date.parse(record.version.lastModified) < keptFrom));
    (follows ? inTurn : outOfTurn).push(record);
  }
  return { inTurn, outOfTurn };
}

/** S3 tells whole seconds: within one the numbers decide. */
function byStorage(a: NumberedRecord, b: NumberedRecord): number {
  const [first, second] = [a.version.lastModified, b.version.lastModified];
  if (first === second) return a.number - b.number;
  return first < second ? -1 : 1;
}
