import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';

export interface EvidenceTableProps {
  readonly encryptionKey: IKey;
  readonly deletionProtection: boolean;
  /** @default - none */
  readonly globalIndex?: GlobalSecondaryIndexProps;
}

const READ = ['dynamodb:GetItem', 'dynamodb:Query'];

/** A table with `pk` and `sk`, billed on demand, restorable to any second of 35 days; items end at `expiresAt`. */
export class EvidenceTable extends Construct {
  readonly table: Table;
  readonly #key: IKey;
  readonly #indexName: string | undefined;

  constructor(scope: Construct, id: string, props: EvidenceTableProps) {
    super(scope, id);
    this.#key = props.encryptionKey;
    this.#indexName = props.globalIndex?.indexName;
    this.table = new Table(this, 'Table', {
      billingMode: BillingMode.PAY_PER_REQUEST,
      deletionProtection: props.deletionProtection,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: props.encryptionKey,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiresAt',
    });
    if (props.globalIndex) this.table.addGlobalSecondaryIndex(props.globalIndex);
  }

  grantRead(fn: ServiceFunction): void {
    fn.allow(READ, [this.table.tableArn]);
    if (this.#indexName) {
      fn.allow(['dynamodb:Query'], [`${this.table.tableArn}/index/${this.#indexName}`]);
    }
    fn.allow(['kms:Decrypt'], [this.#key.keyArn]);
  }

  grantReadWrite(fn: ServiceFunction): void {
    this.grantRead(fn);
    this.grantPut(fn);
  }

  /** Whole items under a condition; nothing is updated in place, and nothing is read. */
  grantPut(fn: ServiceFunction): void {
    fn.allow(['dynamodb:PutItem'], [this.table.tableArn]);
    fn.allow(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'], [this.#key.keyArn]);
  }
}
