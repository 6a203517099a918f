import { Stack } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { acknowledge } from './acknowledge.ts';
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
  bucket: Bucket,
  actions: readonly string[],
  prefixes: readonly string[],
  conditions?: Parameters<ServiceFunction['allow']>[2],
): void {
  const patterns = prefixes.map((prefix) => `${prefix}*`);
  fn.allow(
    actions,
    patterns.map((pattern) => bucket.arnForObjects(pattern)),
    conditions,
  );

  const owner = Stack.of(bucket);
  const { 'Fn::ImportValue': exportName } = owner.resolve(owner.exportValue(bucket.bucketArn));
  acknowledge(
    fn,
    'Object keys hold dates and hashes that are unknown before they are written, so the rights end at the prefix.',
    ...patterns.map((pattern) => `AwsSolutions-IAM5[Resource::${exportName}/${pattern}]`),
  );
}

/**
 * Without the right to list, S3 answers 403 for an object that is not there, and a missing piece of
 * evidence would look like a missing permission.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export function allowToSeeAbsence(fn: ServiceFunction, bucket: Bucket): void {
  fn.allow(['s3:ListBucket'], [bucket.bucketArn]);
}
