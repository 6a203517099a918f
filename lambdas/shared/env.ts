/** A function was deployed without a variable it needs: the cold start fails and says which. */
export class EnvironmentVariableError extends Error {
  override readonly name = 'EnvironmentVariableError';
}

/** @throws EnvironmentVariableError when the variable is missing or blank */
export function requireEnv(variable: string, env: NodeJS.ProcessEnv = process.env): string {
  const value = env[variable]?.trim();
  if (!value) throw new EnvironmentVariableError(`environment variable ${variable} is required`);
  return value;
}

/** @throws EnvironmentVariableError when the variable is no positive integer */
export function requireInteger(variable: string, env: NodeJS.ProcessEnv = process.env): number {
  const value = Number(requireEnv(variable, env));
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new EnvironmentVariableError(
      `environment variable ${variable} must be a positive integer`,
    );
  }
  return value;
}

/** @throws EnvironmentVariableError when the variable is no comma-separated list of at least one item */
export function requireList(variable: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const items = requireEnv(variable, env)
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
  if (items.length === 0) {
    throw new EnvironmentVariableError(`environment variable ${variable} must name something`);
  }
  return items;
}
