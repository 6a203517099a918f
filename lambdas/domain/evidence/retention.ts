/** The class of a producer whose registration names none. */
export const STANDARD_CLASS = 'standard';

/** How long evidence of a class is locked, in days. */
interface ClassPeriods {
  readonly lineageDays: number;
  readonly traceDays: number;
}

/** How long evidence is locked, in days, and in which Object Lock mode; the periods are those of the standard class. */
export interface RetentionPolicy extends ClassPeriods {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE';
  /** Of the classes beside the standard one, by name. @default - none */
  readonly classes?: Readonly<Record<string, ClassPeriods>>;
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

/** Classes that a registration may name. */
export function retentionClasses({ classes = {} }: Pick<RetentionPolicy, 'classes'>): string[] {
  return [STANDARD_CLASS, ...Object.keys(classes)];
}

/**
 * Days that a class is locked. A governed trace may belong to a run of any class, and no run outlives its spans: it is
 * locked as long as the lineage of every class. A class that is configured no more counts as the longest.
 */
export function periodDays(
  policy: RetentionPolicy,
  plane: 'lineage' | 'traces',
  retentionClass: string,
): number {
  const all = [policy, ...Object.values(policy.classes ?? {})];
  const { classes = {} } = policy;
  const known = Object.hasOwn(classes, retentionClass) ? classes[retentionClass] : undefined;
  const own = retentionClass === STANDARD_CLASS ? [policy] : known ? [known] : all;
  return plane === 'lineage'
    ? Math.max(...own.map(({ lineageDays }) => lineageDays))
    : Math.max(
        ...own.map(({ traceDays }) => traceDays),
        ...all.map(({ lineageDays }) => lineageDays),
      );
}

/** Days that nothing but records is locked longer than. */
export function longestDays({ classes = {}, ...standard }: RetentionPolicy): number {
  const all = [standard, ...Object.values(classes)];
  return Math.max(...all.flatMap(({ lineageDays, traceDays }) => [lineageDays, traceDays]));
}

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
