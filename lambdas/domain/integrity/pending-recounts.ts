import type { Digest, Recount } from './digest.ts';

/** Counts of one shard and interval that a digest repeats: an outage of hours leaves hundreds, and a run has minutes. */
const MAX_REPEATED = 32;

/** A run that catches up writes many digests at once: what one of them has just counted, the next repeats. */
const REPEAT_BEHIND_AFTER_MILLIS = 30_000;

/** What is missing for good is looked for once an hour, for as long as the stream keeps it. */
const REPEAT_MISSING_AFTER_MILLIS = 3_600_000;

/** Lost records that digests go on looking for; of more, the findings stay open. 1.5 KB each in every digest. */
const MAX_CARRIED_MISSING = 200;

export interface PendingRecounts {
  /** To be counted again now, those first that were not looked at for the longest time. */
  readonly due: readonly Recount[];
  /** To be repeated as they are, so that the next digest knows of them. */
  readonly carried: readonly Recount[];
}

/**
 * What the last digest left open, for the next one: records that were not stored yet, or were missing. The digests
 * themselves are the memory, each holds whatever is unsettled.
 */
export function pendingRecounts(
  previous: Pick<Digest, 'recounts'> | undefined,
  nowMillis: number,
): PendingRecounts {
  const open = (previous?.recounts ?? []).filter(
    ({ status }) => status === 'behind' || status === 'missing',
  );
  const inOrder = open.toSorted(
    (a, b) => compare(a.countedAt, b.countedAt) || compare(a.from, b.from),
  );
  const isDue = ({ status, countedAt }: Recount) =>
    nowMillis - Date.parse(countedAt) >=
    (status === 'behind' ? REPEAT_BEHIND_AFTER_MILLIS : REPEAT_MISSING_AFTER_MILLIS);
  const due = inOrder.filter(isDue).slice(0, MAX_REPEATED);
  const dueNow = new Set(due);
  const rest = inOrder.filter((recount) => !dueNow.has(recount));
  const missing = rest.filter(({ status }) => status === 'missing');
  const latest = new Set(
    missing.toSorted((a, b) => compare(b.from, a.from)).slice(0, MAX_CARRIED_MISSING),
  );
  return {
    due,
    carried: rest.filter((recount) => recount.status === 'behind' || latest.has(recount)),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
