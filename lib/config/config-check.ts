/** One field of a config that cannot be deployed: which, what was found, what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly field: string;

  constructor(environment: string, field: string, received: unknown, advice: string) {
    super(`${environment}: ${field} is ${JSON.stringify(received) ?? 'not set'}; ${advice}`);
    this.field = field;
  }
}

/** The few checks that fields of one environment share; each throws a `ConfigError`. */
export class ConfigCheck {
  readonly #environment: string;

  constructor(environment: string) {
    this.#environment = environment;
  }

  refuse(field: string, received: unknown, advice: string): never {
    throw new ConfigError(this.#environment, field, received, advice);
  }

  whole(field: string, value: number, min: number, max: number): void {
    if (!Number.isInteger(value) || value < min || value > max) {
      this.refuse(field, value, `use a whole number from ${min} to ${max}`);
    }
  }

  /** Passes fields that are not set. */
  matches(field: string, value: string | undefined, pattern: RegExp, advice: string): void {
    if (value !== undefined && !pattern.test(value)) this.refuse(field, value, advice);
  }

  /** Names travel to the functions as one comma-separated variable. */
  names(field: string, names: readonly string[]): void {
    if (names.length === 0) this.refuse(field, names, 'name at least one');
    for (const name of names) {
      this.matches(field, name, /^[^\s,]+$/, 'use names without blanks or commas');
    }
  }
}
