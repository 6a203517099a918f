import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Refuses roles that are none, and a way around locks that nobody can get around. */
export function checkGuardRoles(check: ConfigCheck, config: EnvironmentConfig): void {
  const { breakGlassRoleArn, deploymentRoleArn } = config.guards;
  const account = config.account ?? '\\d{12}';
  const role = new RegExp(`^arn:aws[a-z-]*:iam::${account}:role/[^*?\\s]+$`);
  const where = config.account ? `in account ${config.account}` : 'without wildcard';
  check.matches(
    'guards.deploymentRoleArn',
    deploymentRoleArn,
    role,
    `use the ARN of the IAM role that CloudFormation deploys with, ${where}`,
  );
  check.matches(
    'guards.breakGlassRoleArn',
    breakGlassRoleArn,
    role,
    `use the ARN of an IAM role that nobody uses from day to day, ${where}`,
  );
  if (breakGlassRoleArn === undefined) return;
  if (config.retention.mode === 'COMPLIANCE') {
    check.refuse(
      'guards.breakGlassRoleArn',
      breakGlassRoleArn,
      'nobody lifts a COMPLIANCE lock: leave it out',
    );
  }
  if (breakGlassRoleArn === deploymentRoleArn) {
    check.refuse(
      'guards.breakGlassRoleArn',
      breakGlassRoleArn,
      'every deployment would hold the right to delete evidence: use another role than guards.deploymentRoleArn',
    );
  }
}
