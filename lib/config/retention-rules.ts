import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Six months and a week: what EU AI Act, articles 19 and 26(6), leaves as the shortest period in production. */
const LEGAL_MINIMUM_DAYS = 190;

/** S3 takes lock periods of at most a hundred years. */
const MAX_LOCK_DAYS = 36_500;

/** Refuses periods that would let evidence expire too early, and COMPLIANCE that nobody agreed to. */
export function checkRetention(check: ConfigCheck, config: EnvironmentConfig): void {
  const { mode, lineageDays, traceDays, floorDays } = config.retention;
  check.whole('retention.lineageDays', lineageDays, 1, MAX_LOCK_DAYS);
  check.whole('retention.traceDays', traceDays, 1, MAX_LOCK_DAYS);
  check.whole('retention.floorDays', floorDays, 1, MAX_LOCK_DAYS);
  if (traceDays < lineageDays) {
    check.refuse(
      'retention.traceDays',
      traceDays,
      `traces may not expire before the lineage they explain: use ${lineageDays} or more`,
    );
  }
  if (floorDays > lineageDays) {
    check.refuse(
      'retention.floorDays',
      floorDays,
      `the floor may not exceed retention.lineageDays: use ${lineageDays} or less`,
    );
  }
  if (config.kind === 'production' && floorDays < LEGAL_MINIMUM_DAYS) {
    check.refuse(
      'retention.floorDays',
      floorDays,
      `production may not go below the legal minimum: use ${LEGAL_MINIMUM_DAYS} or more`,
    );
  }
  if (mode === 'GOVERNANCE') return;
  if (config.account === undefined) {
    check.refuse('account', undefined, 'COMPLIANCE cannot be undone, so it needs the account id');
  }
  if (config.acknowledgeCompliance !== config.account) {
    check.refuse(
      'acknowledgeCompliance',
      config.acknowledgeCompliance,
      `COMPLIANCE cannot be undone: repeat the account id ${config.account} to agree`,
    );
  }
}
