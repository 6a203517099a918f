/** Classes that a registration may name. Every class has the same period today, so there is one. */
export const RETENTION_CLASSES = ['standard'] as const;

/** How long evidence of a class is locked, in days, and in which Object Lock mode. */
export interface RetentionPolicy {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE';
  readonly lineageDays: number;
  readonly traceDays: number;
  /** Reports, findings, keys and digests outlive what they prove. */
  readonly recordDays: number;
  /** Remaining retention that the bucket policy demands of every put. */
  readonly floorDays: number;
  /** Runs shorter than this never need an extension. */
  readonly slackDays: number;
}

/** Object Lock of one object version. */
export interface Lock {
  readonly mode: RetentionPolicy['mode'];
  /** RFC 3339 UTC, a midnight. */
  readonly retainUntil: string;
  /** True when the floor, not the period, decided: the record waited long before it was stored. */
  readonly clamped: boolean;
}

export const DAY_MILLIS = 86_400_000;

/**
 * `max(acceptedAt + period + slack, now + floor + 1 day)`, rounded up to the next UTC day (design.md,
 * Retention). Counted from our own clock, never from a producer's, so no event can shorten its lock.
 */
export function lockFor(
  policy: RetentionPolicy,
  periodDays: number,
  acceptedAtMillis: number,
  nowMillis: number,
): Lock {
  const promised = acceptedAtMillis + (periodDays + policy.slackDays) * DAY_MILLIS;
  const writable = nowMillis + (policy.floorDays + 1) * DAY_MILLIS;
  const until = Math.ceil(Math.max(promised, writable) / DAY_MILLIS) * DAY_MILLIS;
  return {
    mode: policy.mode,
    retainUntil: new Date(until).toISOString(),
    clamped: writable > promised,
  };
}
