import type { EnvironmentConfig, LockMode, RetentionConfig } from './environment-config.ts';

/** Days added to every period, so that a run of up to this length never needs its lock extended. */
const SLACK_DAYS = 35;

/** Digests, reports, findings and keys outlive the evidence they speak about by this many days. */
const RECORD_EXTRA_DAYS = 365;

/** What functions read as `RETENTION`; every period in days. */
export interface RetentionSetting {
  readonly mode: LockMode;
  readonly lineageDays: number;
  readonly traceDays: number;
  readonly recordDays: number;
  readonly floorDays: number;
  readonly slackDays: number;
  readonly classes?: RetentionConfig['classes'];
}

/** The retention of an environment with what is derived from it. */
export function retentionSetting({ retention }: EnvironmentConfig): RetentionSetting {
  const { mode, lineageDays, traceDays, floorDays, classes } = retention;
  const periods = [retention, ...Object.values(classes ?? {})];
  const recordDays = Math.max(...periods.map((of) => of.traceDays)) + RECORD_EXTRA_DAYS;
  return {
    ...{ mode, lineageDays, traceDays, recordDays, floorDays, slackDays: SLACK_DAYS },
    ...(classes && { classes }),
  };
}
