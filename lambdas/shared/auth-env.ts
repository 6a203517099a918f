import { EnvironmentVariableError, requireEnv } from './env.ts';
import type { AuthMode } from './http/authenticate.ts';

/** What the gateway checks, as this function was deployed, from the variable AUTH_MODE. */
export function requireAuthMode(env: NodeJS.ProcessEnv = process.env): AuthMode {
  const mode = requireEnv('AUTH_MODE', env);
  if (mode === 'bearer' || mode === 'iam') return mode;
  throw new EnvironmentVariableError('environment variable AUTH_MODE must be bearer or iam');
}
