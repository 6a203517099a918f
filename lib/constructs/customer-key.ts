import { RemovalPolicy } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** A customer managed key that rotates yearly and stays when its stack goes: data under a lost key is lost. */
export function customerKey(scope: Construct, id: string, description: string): Key {
  return new Key(scope, id, {
    description,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
