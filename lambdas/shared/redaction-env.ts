import { ownSentence } from '../domain/errors.ts';
import { type RedactionPolicy, readPolicy, STRICT } from '../domain/redaction/policy.ts';
import { RedactionPolicyError } from '../domain/redaction/policy-rules.ts';
import { EnvironmentVariableError } from './env.ts';

/**
 * The redaction policy of the deployment, from the variable REDACTION_POLICY (JSON); strict without it.
 * @throws EnvironmentVariableError naming what is wrong with it
 */
export function readRedactionPolicy(env: NodeJS.ProcessEnv = process.env): RedactionPolicy {
  const variable = env.REDACTION_POLICY?.trim();
  if (!variable) return STRICT;
  try {
    return readPolicy(JSON.parse(variable));
  } catch (error) {
    const reason = error instanceof RedactionPolicyError ? ownSentence(error) : 'it is not JSON';
    throw new EnvironmentVariableError(`environment variable REDACTION_POLICY: ${reason}`);
  }
}
