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
import { TableAttribute } from '../../lambdas/adapters/table-layout.ts';
import type { ServiceFunction } from './service-function.ts';

export interface EvidenceTableProps {
  readonly encryptionKey: IKey;
  readonly deletionProtection: boolean;
  /**
   * Whether what was deleted can be had back for 35 days.
   * @default true
   */
  readonly restorable?: boolean;
  /** @default - none */
  readonly globalIndex?: GlobalSecondaryIndexProps;
}

/** A table billed on demand, restorable to any second of 35 days unless it has to forget; items end by themselves. */
export class EvidenceTable extends Construct {
  readonly table: Table;
  readonly #key: IKey;

  constructor(scope: Construct, id: string, props: EvidenceTableProps) {
    super(scope, id);
    this.#key = props.encryptionKey;
    this.table = new Table(this, 'Table', {
      billingMode: BillingMode.PAY_PER_REQUEST,
      deletionProtection: props.deletionProtection,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: props.encryptionKey,
      partitionKey: { name: TableAttribute.partition, type: AttributeType.STRING },
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: props.restorable ?? true,
      },
      removalPolicy: RemovalPolicy.RETAIN,
      sortKey: { name: TableAttribute.sort, type: AttributeType.STRING },
      timeToLiveAttribute: TableAttribute.expiry,
    });
    if (props.globalIndex) this.table.addGlobalSecondaryIndex(props.globalIndex);
  }

  /** One item by its key. */
  grantGet(fn: ServiceFunction): void {
    this.#grantRead(fn, 'dynamodb:GetItem', this.table.tableArn);
  }

  /** Many items by their keys, in one request. */
  grantBatchGet(fn: ServiceFunction): void {
    this.#grantRead(fn, 'dynamodb:BatchGetItem', this.table.tableArn);
  }

  /** The items of a partition. */
  grantQuery(fn: ServiceFunction): void {
    this.#grantRead(fn, 'dynamodb:Query', this.table.tableArn);
  }

  /**
   * The items of one named partition.
   * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
   */
  grantQueryPartition(fn: ServiceFunction, partition: string): void {
    fn.allow(['dynamodb:Query'], [this.table.tableArn], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partition] },
    });
    fn.allow(['kms:Decrypt'], [this.#key.keyArn]);
  }

  /** The items of a partition of one global index. */
  grantQueryIndex(fn: ServiceFunction, indexName: string): void {
    this.#grantRead(fn, 'dynamodb:Query', `${this.table.tableArn}/index/${indexName}`);
  }

  /** Whole items under a condition; nothing is updated in place, and nothing is read. */
  grantPut(fn: ServiceFunction): void {
    this.#grantWrite(fn, 'dynamodb:PutItem');
  }

  /** Counters in place; nothing is read but whether the condition held. */
  grantUpdate(fn: ServiceFunction): void {
    this.#grantWrite(fn, 'dynamodb:UpdateItem');
  }

  #grantWrite(fn: ServiceFunction, action: string): void {
    fn.allow([action], [this.table.tableArn]);
    fn.allow(['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'], [this.#key.keyArn]);
  }

  /** {@link grantPut}, and attributes of items in the same transaction. */
  grantPutTogether(fn: ServiceFunction): void {
    this.grantPut(fn);
    fn.allow(['dynamodb:UpdateItem'], [this.table.tableArn]);
  }

  #grantRead(fn: ServiceFunction, action: string, resource: string): void {
    fn.allow([action], [resource]);
    fn.allow(['kms:Decrypt'], [this.#key.keyArn]);
  }
}
