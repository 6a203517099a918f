import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Keys stay, and each costs: more than this is a mistake in the number. */
const MAX_GENERATION = 99;

/** Refuses intervals that do not fit into an hour, since things are filed by the hour. */
export function checkSealing(check: ConfigCheck, { sealing }: EnvironmentConfig): void {
  const { anchorTopicArn, closeAfterSeconds, graceMinutes, intervalMinutes } = sealing;
  const { signingKey = 0 } = sealing;
  check.whole('sealing.intervalMinutes', intervalMinutes, 1, 60);
  if (60 % intervalMinutes !== 0) {
    check.refuse('sealing.intervalMinutes', intervalMinutes, 'use a whole divisor of 60');
  }
  check.whole('sealing.closeAfterSeconds', closeAfterSeconds, 1, 3600);
  check.whole('sealing.graceMinutes', graceMinutes, 1, 1440);
  check.whole('sealing.signingKey', signingKey, 0, MAX_GENERATION);
  check.matches(
    'sealing.anchorTopicArn',
    anchorTopicArn,
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+$/,
    'use the ARN of a standard SNS topic, of another account',
  );
}
