import { Arn, ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ReplicaConfig } from '../config/environment-config.ts';
import { acknowledge } from './acknowledge.ts';

export interface VaultReplicationProps {
  readonly bucket: Bucket;
  readonly key: IKey;
  readonly replica: ReplicaConfig;
}

/**
 * Copies every new version of the vault with its lock and its hold into a bucket of another account or region; changes
 * of locks and holds follow. Delete markers do not.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-managing.html#object-lock-managing-replication
 */
export class VaultReplication extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, props: VaultReplicationProps) {
    super(scope, id);
    const { bucket, key, replica } = props;
    const { account, region } = Arn.split(replica.kmsKeyArn, ArnFormat.SLASH_RESOURCE_NAME);
    const copies = `${replica.bucketArn}/*`;
    const isForeign = account !== Stack.of(this).account;

    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('s3.amazonaws.com') });
    this.#allow(['s3:GetReplicationConfiguration', 's3:ListBucket'], bucket.bucketArn);
    this.#allow(
      [
        's3:GetObjectLegalHold', // without this and the next one S3 copies without the lock, or not at all
        's3:GetObjectRetention',
        's3:GetObjectVersionAcl',
        's3:GetObjectVersionForReplication',
        's3:GetObjectVersionTagging',
      ],
      bucket.arnForObjects('*'),
    );
    this.#allow(['s3:ReplicateObject', 's3:ReplicateTags'], copies);
    if (isForeign) this.#allow(['s3:ObjectOwnerOverrideToBucketOwner'], copies);
    this.#allow(['kms:Decrypt'], key.keyArn, Stack.of(this).region);
    this.#allow(['kms:Encrypt', 'kms:GenerateDataKey'], replica.kmsKeyArn, region);

    const { logicalId } = bucket.node.defaultChild as CfnBucket;
    acknowledge(
      this,
      'Replication copies every object of one bucket into one other.',
      `AwsSolutions-IAM5[Resource::<${Stack.of(this).resolve(logicalId)}.Arn>/*]`,
      `AwsSolutions-IAM5[Resource::${copies}]`,
    );

    (bucket.node.defaultChild as CfnBucket).replicationConfiguration = {
      role: this.role.roleArn,
      rules: [
        {
          id: 'vault',
          status: 'Enabled',
          priority: 0,
          filter: { prefix: '' },
          deleteMarkerReplication: { status: 'Disabled' },
          sourceSelectionCriteria: { sseKmsEncryptedObjects: { status: 'Enabled' } },
          destination: {
            bucket: replica.bucketArn,
            // the copy belongs to whoever keeps it: the account of the vault cannot take it back
            ...(isForeign && { account, accessControlTranslation: { owner: 'Destination' } }),
            encryptionConfiguration: { replicaKmsKeyId: replica.kmsKeyArn },
            metrics: { status: 'Enabled' },
          },
        },
      ],
    };
    // the policy of the replica's bucket names this role
    new CfnOutput(Stack.of(this), 'ReplicationRoleArn', { value: this.role.roleArn });
  }

  /** @param region where S3 uses a key; undefined for rights that are not about one */
  #allow(actions: string[], resource: string, region?: string): void {
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        actions,
        resources: [resource],
        ...(region && {
          conditions: { StringEquals: { 'kms:ViaService': `s3.${region}.amazonaws.com` } },
        }),
      }),
    );
  }
}
