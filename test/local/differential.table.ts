import type { EmulatorName } from '../../localstack/emulators/kind.ts';

/** Three answers to one call where they differ; that of AWS is what its documentation says. */
interface Differing {
  readonly aws: string;
  readonly ministack: string;
  readonly localstack: string;
}

/**
 * What was answered when this was recorded. Where it is one answer, all three give it. A new version of an emulator that
 * answers otherwise fails the test, and the table is corrected on purpose: what an emulator does less well than before needs
 * a row in docs/limits.md.
 */
export const RECORDED: Readonly<Record<string, string | Differing>> = {
  'lock: bucket with Object Lock and a default rule': 'ok',
  'lock: put under the default rule': 'GOVERNANCE',
  'lock: put with GOVERNANCE': 'ok',
  'lock: delete a GOVERNANCE version': 'AccessDenied',
  'lock: delete without a version': 'ok',
  'lock: the version below a delete marker': 'ok',
  'lock: delete a GOVERNANCE version with bypass': 'ok',
  'lock: put with COMPLIANCE': 'ok',
  'lock: delete a COMPLIANCE version with bypass': 'AccessDenied',
  'retention: shorten COMPLIANCE with bypass': 'AccessDenied',
  'retention: turn COMPLIANCE into GOVERNANCE': 'AccessDenied',
  'retention: extend COMPLIANCE': 'ok',
  'retention: shorten GOVERNANCE': 'AccessDenied',
  'retention: shorten GOVERNANCE with bypass': 'ok',
  'retention: put that ends in the past': {
    aws: 'InvalidArgument',
    ministack: 'ok',
    localstack: 'ok',
  },
  'retention: put with a mode and no date': {
    aws: 'InvalidArgument',
    ministack: 'ok',
    localstack: 'InvalidArgument',
  },
  'retention: put with a lock into a bucket without Object Lock': {
    aws: 'InvalidRequest',
    ministack: 'InvalidRequest',
    localstack: 'ok',
  },
  'retention: of an object that has none': 'InvalidRequest',
  'retention: what a copy into the bucket gets': {
    aws: 'GOVERNANCE',
    ministack: 'unlocked',
    localstack: 'GOVERNANCE',
  },
  'retention: multipart upload with a lock': 'ok',
  'hold: put with a legal hold': 'ok',
  'hold: delete with bypass while it is on': 'AccessDenied',
  'hold: lifted, then deleted with bypass': 'ok',
  'hold: on a version that is not there': 'NoSuchVersion',
  'checksum: wrong SHA-256': 'BadDigest',
  'checksum: wrong MD5': 'BadDigest',
  'checksum: SHA-256 is given back': 'Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzIYbmOaP4xrLU=',
  'condition: If-None-Match on a new key': 'ok',
  'condition: If-None-Match on a key that is there': 'PreconditionFailed',
  'condition: If-None-Match above a delete marker': 'ok',
  'condition: If-Match on another version': 'PreconditionFailed',
  'condition: two puts with If-None-Match at once': '1 of 2',
  'read: a version that was deleted': 'NoSuchVersion',
  'lock: suspend versioning of the bucket': {
    aws: 'InvalidBucketState',
    ministack: 'ok',
    localstack: 'InvalidBucketState',
  },
  'key: a signature is verified': 'true',
  'key: a digest of another length': 'ValidationException',
  'key: policy without the name of it': {
    aws: 'ok',
    ministack: 'ok',
    localstack: 'NotFoundException',
  },
  'key: disabled, then asked to sign': 'DisabledException',
  'key: disabled, then asked to encrypt': 'DisabledException',
  'key: disabled, and a put of S3 that names it': {
    aws: 'KMS.DisabledException',
    ministack: 'ok',
    localstack: 'ok',
  },
  'stream: created': 'ok',
  'stream: a record of over 1 MiB': {
    aws: 'not documented',
    ministack: 'ValidationException',
    localstack: 'InvalidArgumentException',
  },
  'stream: 501 records in one call': {
    aws: 'ValidationException',
    ministack: 'ValidationException',
    localstack: 'ok',
  },
  'stream: read after the newest': '1 record',
  'table: created': 'ok',
  'table: a condition that fails': 'ConditionalCheckFailedException',
  'table: a transaction of which one condition fails': 'TransactionCanceledException',
  'table: an item of over 400 KB': 'ValidationException',
  'table: 101 keys in one BatchGetItem': 'ValidationException',
  'function: first and second call share a process': '{"calls":1} {"calls":2}',
  'function: throws': {
    aws: 'Unhandled RangeError',
    ministack: 'Unhandled Runtime.HandlerError',
    localstack: 'Unhandled RangeError',
  },
  'function: exits': {
    aws: 'Unhandled Runtime.ExitError',
    ministack: 'Unhandled Runtime.HandlerError',
    localstack: 'Unhandled Runtime.ExitError',
  },
  'function: runs out of time': 'Unhandled Sandbox.Timedout',
  'function: the next call is a new process': '{"calls":1}',
  'function: answers 6 MB': 'ok',
  'function: answers more': {
    aws: 'Unhandled Function.ResponseSizeTooLarge',
    ministack: 'ok',
    localstack: 'Unhandled Function.ResponseSizeTooLarge',
  },
  'event source: report': {
    aws: 'processed 0 1; failed batches of 3',
    ministack: 'processed 0 1; failed batches of nothing',
    localstack: 'processed 0 1; failed batches of 3',
  },
  'event source: throw': {
    aws: 'processed nothing; failed batches of 5',
    ministack: 'processed nothing; failed batches of nothing',
    localstack: 'processed nothing; failed batches of 5',
  },
  'event source: throw, bisected': {
    aws: 'processed 0 1 3 4; failed batches of 1',
    ministack: 'processed nothing; failed batches of nothing',
    localstack: 'processed nothing; failed batches of 5',
  },
  'state machine: a definition without its first state': {
    aws: 'InvalidDefinition',
    ministack: 'FAILED InvalidDefinition',
    localstack: 'FAILED States.Runtime',
  },
  'state machine: a choice and a failure by name': 'FAILED TooMany',
  'state machine: retries by the name of an error': {
    aws: 'SUCCEEDED {"calls":3}',
    ministack: 'FAILED Runtime.HandlerError',
    localstack: 'SUCCEEDED {"calls":3}',
  },
  'state machine: an error that nobody retries': {
    aws: 'FAILED NotYet',
    ministack: 'FAILED Runtime.HandlerError',
    localstack: 'FAILED NotYet',
  },
  'state machine: retries of all errors': {
    aws: 'SUCCEEDED {"calls":3}',
    ministack: 'FAILED Runtime.HandlerError',
    localstack: 'SUCCEEDED {"calls":3}',
  },
  'state machine: an inline map': 'SUCCEEDED [{"n":1},{"n":2}]',
  'state machine: a distributed map over a file': 'SUCCEEDED [{"n":1},{"n":2}]',
};

/** The recorded answer of an emulator. */
export function recordedAnswer(call: string, emulator: EmulatorName): string | undefined {
  const recorded = RECORDED[call];
  if (typeof recorded !== 'object') return recorded;
  return emulator === 'ministack' ? recorded.ministack : recorded.localstack;
}
