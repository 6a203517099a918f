import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { HMAC_EPOCHS, HOUR_INDEX, TableAttribute } from '../../lambdas/adapters/table-layout.ts';
import { customerKey } from './customer-key.ts';
import { EvidenceTable } from './evidence-table.ts';
import type { ServiceFunction } from './service-function.ts';

export interface EvidenceTablesProps {
  readonly deletionProtection: boolean;
}

/**
 * The index, a cache over the vault, the producers with the hashes of their keys, and the usage: rate windows and
 * refusal counters, which live for days and are evidence only once reported. One key encrypts all. */
export class EvidenceTables extends Construct {
  readonly key: Key;
  readonly index: EvidenceTable;
  readonly producers: EvidenceTable;
  readonly usage: EvidenceTable;

  constructor(scope: Construct, id: string, { deletionProtection }: EvidenceTablesProps) {
    super(scope, id);
    this.key = customerKey(this, 'Key', 'Index, producers and usage tables');
    this.index = new EvidenceTable(this, 'Index', {
      deletionProtection,
      encryptionKey: this.key,
      globalIndex: {
        indexName: HOUR_INDEX,
        partitionKey: { name: TableAttribute.hour, type: AttributeType.STRING },
        projectionType: ProjectionType.ALL,
        sortKey: { name: TableAttribute.sort, type: AttributeType.STRING },
      },
    });
    this.producers = new EvidenceTable(this, 'Producers', {
      deletionProtection,
      encryptionKey: this.key,
    });
    this.usage = new EvidenceTable(this, 'Usage', { deletionProtection, encryptionKey: this.key });
  }

  /** The wrapped HMAC keys, and nothing of a producer. */
  grantReadEpochs(fn: ServiceFunction): void {
    this.producers.grantQueryPartition(fn, HMAC_EPOCHS);
  }

  /** What the index lists of an hour. */
  grantReadHours(fn: ServiceFunction): void {
    this.index.grantQueryIndex(fn, HOUR_INDEX);
  }
}
