import { LineageError, type RuleViolation } from '../errors.ts';

/** What the caller can put right; nothing was changed. */
export class HoldRefusedError extends LineageError {
  override readonly name = 'HoldRefusedError';
  readonly refused: 'invalid' | 'unknown' | 'conflict';
  readonly violations: readonly RuleViolation[];

  /** @param violations fields by name, and nothing of what was sent */
  constructor(
    refused: HoldRefusedError['refused'],
    code: string,
    message: string,
    violations: readonly RuleViolation[] = [],
  ) {
    super(code, message);
    this.refused = refused;
    this.violations = violations;
  }
}

export function invalidHold(violations: readonly RuleViolation[]): HoldRefusedError {
  return new HoldRefusedError(
    'invalid',
    'invalid_hold',
    'the request breaks a rule; see errors',
    violations,
  );
}
