import { ChangeRefusedError, type RuleViolation } from '../errors.ts';

/** What the caller can put right about a registration; nothing was changed. */
export abstract class ProducerRefusedError extends ChangeRefusedError {}

/** A registration or a change of one that breaks a rule. */
export class InvalidRegistrationError extends ProducerRefusedError {
  override readonly name = 'InvalidRegistrationError';

  constructor(violations: readonly RuleViolation[]) {
    super('invalid', 'invalid_registration', 'the request breaks a rule; see errors', violations);
  }
}

/** The change is well formed and does not fit what stands there; the text says what to do. */
export class ProducerConflictError extends ProducerRefusedError {
  override readonly name = 'ProducerConflictError';

  constructor(code: string, message: string) {
    super('conflict', code, message, [{ path: '$', rule: code }]);
  }
}

export class UnknownProducerError extends ProducerRefusedError {
  override readonly name = 'UnknownProducerError';

  constructor() {
    super('unknown', 'unknown_producer', 'no producer is registered under this id');
  }
}
