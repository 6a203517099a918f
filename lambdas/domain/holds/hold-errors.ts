import { ChangeRefusedError, type RuleViolation } from '../errors.ts';

/** What the caller can put right about a hold; nothing was changed. */
export class HoldRefusedError extends ChangeRefusedError {
  override readonly name = 'HoldRefusedError';
}

export function invalidHold(violations: readonly RuleViolation[]): HoldRefusedError {
  return new HoldRefusedError(
    'invalid',
    'invalid_hold',
    'the request breaks a rule; see errors',
    violations,
  );
}

/** Somebody else wrote under `holds/`: the hold stays as it was, and no step of it can be taken. */
export function unreadableHold(): HoldRefusedError {
  return new HoldRefusedError(
    'conflict',
    'hold_unreadable',
    'a document that is no step of this hold stands where its next step goes: set a hold under another reference, and have that document removed (docs/operations.md, "Holds incomplete")',
    [{ path: '$.reference', rule: 'hold_unreadable' }],
  );
}
