import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { customerKey } from './customer-key.ts';
import type { ServiceFunction } from './service-function.ts';

/** Keys that wrap the HMAC keys of received bodies; deleting the key of an epoch destroys that epoch. */
export class HmacKeys extends Construct {
  readonly current: Key;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.current = customerKey(this, 'Epoch0', 'Wraps the HMAC key of epoch 0');
  }

  grantUnwrap(fn: ServiceFunction): void {
    fn.allow(['kms:Decrypt'], [this.current.keyArn]);
  }
}
