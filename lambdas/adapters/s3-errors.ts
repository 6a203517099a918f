import { S3ServiceException } from '@aws-sdk/client-s3';
import { LineageError, UnavailableError } from '../domain/errors.ts';

export function isS3Error(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
}

/** Our own errors pass; a foreign one is hidden, because SDK messages may quote what was sent. */
export function s3Unavailable(error: unknown): LineageError {
  return error instanceof LineageError ? error : new UnavailableError('s3', { cause: error });
}
