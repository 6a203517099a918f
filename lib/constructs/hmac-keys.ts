import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { customerKey } from './customer-key.ts';
import type { ServiceFunction } from './service-function.ts';

/** Keys that wrap the HMAC keys of received bodies; deleting the key of an epoch destroys that epoch. */
export class HmacKeys extends Construct {
  readonly current: IKey;

  /** @param adoptedKeyArn of a key that stands, and wraps what is in the vault */
  constructor(scope: Construct, id: string, adoptedKeyArn?: string) {
    super(scope, id);
    this.current =
      adoptedKeyArn === undefined
        ? customerKey(this, 'Epoch0', 'Wraps the HMAC key of epoch 0')
        : Key.fromKeyArn(this, 'Epoch0', adoptedKeyArn);
  }

  grantUnwrap(fn: ServiceFunction): void {
    fn.allow(['kms:Decrypt'], [this.current.keyArn]);
  }
}
