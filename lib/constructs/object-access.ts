import { Stack } from 'aws-cdk-lib';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';
import { acknowledge, nagWord } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';

/**
 * A read that names a version asks for this right only, also in a bucket without versions, where the name is `null`.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export const READ_VERSION = ['s3:GetObjectVersion'];

/**
 * Allows actions on the objects of a bucket below the given key prefixes. The bucket lies in another stack than the
 * function, so the finding that is accepted here names the export and not the logical id.
 */
export function allowObjects(
  fn: ServiceFunction,
  bucket: IBucket,
  actions: readonly string[],
  prefixes: readonly string[],
  conditions?: Parameters<ServiceFunction['allow']>[2],
): void {
  fn.allow(
    actions,
    prefixes.map((prefix) => bucket.arnForObjects(`${prefix}*`)),
    conditions,
  );
  acknowledgeObjects(fn, bucket, prefixes);
}

/** Accepts that rights on objects end at a key prefix. */
export function acknowledgeObjects(
  scope: IConstruct,
  bucket: IBucket,
  prefixes: readonly string[],
): void {
  acknowledge(
    scope,
    'Object keys hold dates and hashes that are unknown before they are written, so the rights end at the prefix.',
    ...prefixes.map((prefix) => `AwsSolutions-IAM5[Resource::${nameOf(bucket)}/${prefix}*]`),
  );
}

/** What cdk-nag calls a bucket of another stack: its export; one that was adopted has its name alone. */
function nameOf(bucket: IBucket): string {
  const owner = Stack.of(bucket);
  if (!(bucket instanceof Bucket)) {
    return `arn:${nagWord(bucket, owner.partition)}:s3:::${bucket.bucketName}`;
  }
  return owner.resolve(owner.exportValue(bucket.bucketArn))['Fn::ImportValue'];
}

/**
 * Without the right to list, S3 answers 403 for an object that is not there, and a missing piece of
 * evidence would look like a missing permission.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export function allowToSeeAbsence(fn: ServiceFunction, bucket: IBucket): void {
  fn.allow(['s3:ListBucket'], [bucket.bucketArn]);
}
