import { S3ServiceException } from '@aws-sdk/client-s3';
import {
  AccessDeniedError,
  LineageError,
  RefusedByStoreError,
  UnavailableError,
} from '../domain/errors.ts';

export function isS3Error(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
}

/** Whether a key or a version is not there. HEAD has no body that would name it. */
export function isMissing(error: unknown): boolean {
  return isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound');
}

/** The status of an answer of S3; undefined for an error that is none. */
export function s3Status(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** {@link s3Unavailable}, but for a right that is missing. */
export function s3Denied(error: unknown): LineageError {
  return s3Status(error) === 403
    ? new AccessDeniedError('s3', { cause: error })
    : s3Unavailable(error);
}

/**
 * What S3 answers (400) to a request that is wrong in itself. Its other 400 pass: keys that are disabled, tokens that
 * ended, bodies that broke on their way.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
const REFUSALS = [
  'EntityTooLarge',
  'InvalidArgument',
  'InvalidRequest',
  'InvalidURI',
  'KeyTooLongError',
  'MetadataTooLarge',
];

/** Of a write: {@link s3Unavailable}, but for what no retry mends. */
export function s3WriteFailed(error: unknown): LineageError {
  return isS3Error(error, ...REFUSALS)
    ? new RefusedByStoreError('s3', { cause: error })
    : s3Unavailable(error);
}

/** Our own errors pass; a foreign one is hidden, because SDK messages may quote what was sent. */
export function s3Unavailable(error: unknown): LineageError {
  return error instanceof LineageError ? error : new UnavailableError('s3', { cause: error });
}
