import { LineageError, type RuleViolation } from '../errors.ts';

/** Why a registration or a change is refused: what was sent, what stands there, or that nothing does. */
type Refused = 'invalid' | 'conflict' | 'unknown';

/** What the caller can put right; nothing was changed. Fields by name, and nothing of what was sent. */
export abstract class ProducerRefusedError extends LineageError {
  abstract readonly refused: Refused;
  readonly violations: readonly RuleViolation[];

  constructor(code: string, message: string, violations: readonly RuleViolation[]) {
    super(code, message);
    this.violations = violations;
  }
}

/** A registration or a change of one that breaks a rule. */
export class InvalidRegistrationError extends ProducerRefusedError {
  override readonly name = 'InvalidRegistrationError';
  readonly refused = 'invalid';

  constructor(violations: readonly RuleViolation[]) {
    super('invalid_registration', 'the request breaks a rule; see errors', violations);
  }
}

/** The change is well formed and does not fit what stands there; the text says what to do. */
export class ProducerConflictError extends ProducerRefusedError {
  override readonly name = 'ProducerConflictError';
  readonly refused = 'conflict';

  constructor(code: string, message: string) {
    super(code, message, [{ path: '$', rule: code }]);
  }
}

export class UnknownProducerError extends ProducerRefusedError {
  override readonly name = 'UnknownProducerError';
  readonly refused = 'unknown';

  constructor() {
    super('unknown_producer', 'no producer is registered under this id', []);
  }
}
