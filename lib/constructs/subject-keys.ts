import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { customerKey } from './customer-key.ts';
import { EvidenceTable } from './evidence-table.ts';
import type { ServiceFunction } from './service-function.ts';

export interface SubjectKeysProps {
  readonly deletionProtection: boolean;
}

/**
 * The keys that pseudonyms of persons are made with. Its one purpose is that an item can be destroyed: no backup
 * brings one back. Encrypted by a key of its own, so that whoever reads the index cannot read this.
 */
export class SubjectKeys extends Construct {
  readonly key: Key;
  readonly keys: EvidenceTable;

  constructor(scope: Construct, id: string, { deletionProtection }: SubjectKeysProps) {
    super(scope, id);
    this.key = customerKey(this, 'Key', 'Keys of subjects');
    this.keys = new EvidenceTable(this, 'Keys', {
      deletionProtection,
      encryptionKey: this.key,
      restorable: false,
    });
    acknowledge(
      this.keys,
      'A key that a person asked to be erased must not come back with a restored table.',
      'AwsSolutions-DDB3',
    );
  }

  /** Gets a key, and makes one where there is none; the condition of the put keeps one from being replaced. */
  grantGetOrMake(fn: ServiceFunction): void {
    this.keys.grantGet(fn);
    this.keys.grantPut(fn);
  }
}
