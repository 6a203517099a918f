import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { keyGuard } from '../../lambdas/domain/audit/guard-policy.ts';
import { customerKey } from './customer-key.ts';
import { READ_ROTATED_KEY_GUARDS } from './evidence-vault.ts';
import type { ServiceFunction } from './service-function.ts';

export interface HmacKeysProps {
  /** ARN of the only role that may change what protects the keys, and end an epoch. */
  readonly deploymentRoleArn: string;
  /** ARN of a key that stands, and wraps what is in the vault. @default - a new one */
  readonly adoptedKeyArn?: string | undefined;
}

/** Keys that wrap the HMAC keys of received bodies; deleting the key of an epoch destroys that epoch. */
export class HmacKeys extends Construct {
  readonly current: IKey;

  constructor(scope: Construct, id: string, { adoptedKeyArn, deploymentRoleArn }: HmacKeysProps) {
    super(scope, id);
    this.current =
      adoptedKeyArn === undefined
        ? customerKey(this, 'Epoch0', 'Wraps the HMAC key of epoch 0')
        : Key.fromKeyArn(this, 'Epoch0', adoptedKeyArn);
    this.current.addToResourcePolicy(PolicyStatement.fromJson(keyGuard(deploymentRoleArn)));
  }

  get all(): readonly IKey[] {
    return [this.current];
  }

  grantUnwrap(fn: ServiceFunction): void {
    fn.allow(['kms:Decrypt'], [this.current.keyArn]);
  }

  /** A look at what guards the keys, without the right to use one. */
  grantReadGuards(fn: ServiceFunction): void {
    fn.allow(
      READ_ROTATED_KEY_GUARDS,
      this.all.map(({ keyArn }) => keyArn),
    );
  }
}
