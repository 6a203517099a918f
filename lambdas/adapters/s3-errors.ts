import { S3ServiceException } from '@aws-sdk/client-s3';
import { LineageError, RefusedByStoreError, UnavailableError } from '../domain/errors.ts';

export function isS3Error(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
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
