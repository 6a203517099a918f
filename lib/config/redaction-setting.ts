import { readPolicy, STRICT } from '../../lambdas/domain/redaction/policy.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** What functions read as `REDACTION_POLICY`: JSON of what differs from the built-in rules, or nothing. */
export function redactionSetting({ redaction = 'strict' }: EnvironmentConfig): {
  readonly REDACTION_POLICY?: string;
} {
  if (readPolicy(redaction).id === STRICT.id) return {};
  return { REDACTION_POLICY: JSON.stringify(redaction) };
}
