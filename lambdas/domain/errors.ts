/** Base of every error this code raises on purpose. `code` is ours and safe to log; messages never quote a payload. */
export class LineageError extends Error {
  override readonly name: string = 'LineageError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** One broken rule of a refused event: where (JSON path) and which. */
export interface RuleViolation {
  readonly path: string;
  readonly rule: string;
}

/** The caller sent something that is no acceptable event: final, answered with 400. */
export class InvalidEventError extends LineageError {
  override readonly name = 'InvalidEventError';
  readonly violations: readonly RuleViolation[];

  constructor(violations: readonly RuleViolation[]) {
    super('invalid_event', 'the event breaks a rule of the receiver');
    this.violations = violations;
  }
}

/** Something exceeds a documented bound: final, answered with 413. */
export class TooLargeError extends LineageError {
  override readonly name = 'TooLargeError';
  readonly limitBytes: number;

  constructor(what: string, limitBytes: number) {
    super('too_large', `${what} is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** A dependency did not answer: the same request may succeed later, answered with 503. */
export class UnavailableError extends LineageError {
  override readonly name = 'UnavailableError';

  /** @param dependency a word for the code that logs and batch failures carry */
  constructor(dependency: string, options?: ErrorOptions) {
    super(`${dependency}_unavailable`, `${dependency} is not available`, options);
  }
}

/** A store will not take what it was given, whoever asks and however often: only something else helps. */
export class RefusedByStoreError extends LineageError {
  override readonly name = 'RefusedByStoreError';

  constructor(store: string, options?: ErrorOptions) {
    super(`${store}_refused`, `${store} does not take this`, options);
  }
}

/** A producer sent more than it may at the moment: the same request may succeed later, answered with 503. */
export class RateLimitedError extends LineageError {
  override readonly name = 'RateLimitedError';

  constructor() {
    super('rate_limited', 'this key sends more events than it may');
  }
}

/** We may not look: no retry helps, and it never means that nothing is there. */
export class AccessDeniedError extends LineageError {
  override readonly name = 'AccessDeniedError';

  constructor(what: string, options?: ErrorOptions) {
    super('access_denied', `access to ${what} is denied`, options);
  }
}

/** A stored or streamed record cannot be read back as what it should be. */
export class UnreadableRecordError extends LineageError {
  override readonly name = 'UnreadableRecordError';

  constructor(code: string) {
    super(code, `the record cannot be read: ${code}`);
  }
}

/** What a final refusal is filed under: the broken rules, or our own code where no rule of an event is. */
export function violationsOf(error: LineageError): readonly RuleViolation[] {
  if (error instanceof InvalidEventError) return error.violations;
  return [{ path: '$', rule: error.code }];
}

/** What names of errors look like, those of AWS included; anything else in the place of one may be what was sent. */
const ERROR_NAME = /^[A-Za-z][A-Za-z0-9_.]{0,63}$/;

/** Whether something that was read may be what {@link errorCode} told once. */
export function isErrorCode(read: unknown): read is string {
  return typeof read === 'string' && ERROR_NAME.test(read);
}

/** What Node calls a connection that did not come about or broke; such an error has no name but `Error`. */
export const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'],
  ...['EAI_AGAIN', 'ENOTFOUND'],
]);

/**
 * Our own code for ours, the class name for foreign errors: foreign messages quote their input and are never shown.
 * Of a foreign `code` only {@link CONNECTION_CODES} are told, since it may be anything. This is all of an error that may be logged, counted, traced or answered (lint/no-error-text.grit).
 */
export function errorCode(error: unknown): string {
  if (error instanceof LineageError) return error.code;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof Error && CONNECTION_CODES.has(code)) return code as string;
  return error instanceof Error && ERROR_NAME.test(error.name) ? error.name : 'unknown';
}

/** The sentence of an error of ours, which quotes no payload; of a foreign one, should it get here, the name. */
export function ownSentence(error: LineageError): string {
  return error instanceof LineageError ? error.message : errorCode(error);
}

/** Codes and names of an error, of what caused it, and so on: ours name the dependency, their cause says what it said. */
export function errorCodes(error: unknown): string[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? [errorCode(error)] : [errorCode(error), ...errorCodes(cause)];
}

/** A change that the caller can put right; nothing was changed. Fields by name, and nothing of what was sent. */
export class ChangeRefusedError extends LineageError {
  override readonly name: string = 'ChangeRefusedError';
  /** What was sent, what stands there, or that nothing does. */
  readonly refused: 'invalid' | 'conflict' | 'unknown';
  readonly violations: readonly RuleViolation[];

  constructor(
    refused: ChangeRefusedError['refused'],
    code: string,
    message: string,
    violations: readonly RuleViolation[] = [],
  ) {
    super(code, message);
    this.refused = refused;
    this.violations = violations;
  }
}
