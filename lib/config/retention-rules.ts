import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig, RetentionClassConfig } from './environment-config.ts';

/** Six months and a week: what EU AI Act, articles 19 and 26(6), leaves as the shortest period in production. */
const LEGAL_MINIMUM_DAYS = 190;

/** The class of every producer that names none: its periods are those of `retention` itself. */
const STANDARD_CLASS = 'standard';

/** The name stands in object keys and in the head of a stream record. */
const CLASS_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** S3 takes lock periods of at most a hundred years. */
const MAX_LOCK_DAYS = 36_500;

/** Refuses periods that would let evidence expire too early, and COMPLIANCE that nobody agreed to. */
export function checkRetention(check: ConfigCheck, config: EnvironmentConfig): void {
  const { mode, floorDays, classes = {} } = config.retention;
  check.whole('retention.floorDays', floorDays, 1, MAX_LOCK_DAYS);
  checkPeriods(check, 'retention', config.retention, floorDays);
  for (const [name, periods] of Object.entries(classes)) {
    const path = `retention.classes.${name}`;
    if (!CLASS_NAME.test(name) || name === STANDARD_CLASS) {
      check.refuse(
        path,
        name,
        `use a name of lower-case letters, digits and hyphens, and not ${STANDARD_CLASS}`,
      );
    }
    checkPeriods(check, path, periods, floorDays);
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

/** What every class keeps to: traces at least as long as lineage, lineage at least to the floor. */
function checkPeriods(
  check: ConfigCheck,
  path: string,
  { lineageDays, traceDays }: RetentionClassConfig,
  floorDays: number,
): void {
  check.whole(`${path}.lineageDays`, lineageDays, 1, MAX_LOCK_DAYS);
  check.whole(`${path}.traceDays`, traceDays, 1, MAX_LOCK_DAYS);
  if (traceDays < lineageDays) {
    check.refuse(
      `${path}.traceDays`,
      traceDays,
      `traces may not expire before the lineage they explain: use ${lineageDays} or more`,
    );
  }
  if (floorDays <= lineageDays) return;
  if (path === 'retention') {
    check.refuse(
      'retention.floorDays',
      floorDays,
      `the floor may not exceed retention.lineageDays: use ${lineageDays} or less`,
    );
  } else {
    const advice = `no class may go below the floor: use ${floorDays} or more`;
    check.refuse(`${path}.lineageDays`, lineageDays, advice);
  }
}
