import type { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { UnreadableRecordError } from '../domain/errors.ts';
import { readWhole } from '../domain/read-whole.ts';

/**
 * The largest documents that are read whole are digests (MAX_DIGEST_BYTES of the verifier): evidence objects have half of it
 * (MAX_STORED_BYTES). What is larger was put there by somebody else, and must not fill the memory of who reads it.
 */
export const MAX_READ_BYTES = 128 * 1024 * 1024;

type Answer = Pick<GetObjectCommandOutput, 'Body' | 'ContentLength'>;

/** The pieces of an answer's body, as the SDK hands them out on Node. */
export function chunksOf({ Body }: Answer): AsyncIterable<Uint8Array> {
  return Body as unknown as AsyncIterable<Uint8Array>;
}

/** Lets go of a body that is not read, or its connection stays taken. */
export function dropBody({ Body }: Answer): void {
  (Body as Partial<Readable> | undefined)?.destroy?.();
}

/** @throws UnreadableRecordError `object_too_large` */
export async function wholeBody(answer: Answer): Promise<Buffer> {
  const isTooLarge = (answer.ContentLength ?? 0) > MAX_READ_BYTES;
  if (isTooLarge) dropBody(answer);
  const bytes = isTooLarge ? undefined : await readWhole(chunksOf(answer), MAX_READ_BYTES);
  if (!bytes) throw new UnreadableRecordError('object_too_large');
  return bytes;
}
