import { readPolicy } from '../../lambdas/domain/redaction/policy.ts';
import { RedactionPolicyError } from '../../lambdas/domain/redaction/policy-rules.ts';
import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Refuses a policy that the functions would refuse when they start: by the same code, so that no two tables drift apart. */
export function checkRedaction(
  check: ConfigCheck,
  { redaction = 'strict' }: EnvironmentConfig,
): void {
  try {
    readPolicy(redaction);
  } catch (error) {
    if (!(error instanceof RedactionPolicyError)) throw error;
    const field = error.field === '' ? 'redaction' : `redaction.${error.field}`;
    check.refuse(field, error.received, error.advice);
  }
}
