import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccountRootPrincipal,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { keyGuard } from '../../lambdas/domain/audit/guard-policy.ts';

export interface DigestSigningProps {
  /** ARN of the only role that may change what protects the keys. */
  readonly deploymentRoleArn: string;
  /** Which key signs; all before it stay. */
  readonly generation: number;
}

/** What administrators of the account may do with a signing key: look after it, and neither sign nor hand signing on. */
const MANAGEMENT = [
  'kms:CancelKeyDeletion',
  'kms:DescribeKey',
  'kms:DisableKey',
  'kms:EnableKey',
  'kms:GetKeyPolicy',
  'kms:GetKeyRotationStatus',
  'kms:GetPublicKey',
  'kms:ListGrants',
  'kms:ListKeyPolicies',
  'kms:ListResourceTags',
  'kms:PutKeyPolicy',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:UpdateKeyDescription',
];

/** The keys that sign digests, and the one role that they sign for. They stay here when the pipeline is made anew. */
export class DigestSigning extends Construct {
  readonly role: Role;
  /** The newest generation last. */
  readonly keys: readonly Key[];

  constructor(scope: Construct, id: string, props: DigestSigningProps) {
    super(scope, id);
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'The sealer: nobody else may sign digests',
    });
    // The key policies name it: made anew it would be another one, for which no key signs.
    this.role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.keys = Array.from({ length: props.generation + 1 }, (_, generation) =>
      this.#key(generation, props.deploymentRoleArn),
    );
  }

  #key(generation: number, deploymentRoleArn: string): Key {
    return new Key(this, `Key${generation}`, {
      description: `Signs digests, generation ${generation}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      // in place of the default policy, whose root may do everything
      policy: new PolicyDocument({
        statements: [
          new PolicyStatement({
            sid: 'AllowManagement',
            principals: [new AccountRootPrincipal()],
            actions: MANAGEMENT,
            resources: ['*'], // in a key policy, "*" is the key itself
          }),
          new PolicyStatement({
            sid: 'AllowSealer',
            principals: [this.role],
            actions: ['kms:GetPublicKey', 'kms:Sign'],
            resources: ['*'],
          }),
          PolicyStatement.fromJson(keyGuard(deploymentRoleArn)),
        ],
      }),
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
