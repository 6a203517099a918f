import { randomInt } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { S3Client } from '@aws-sdk/client-s3';
import { EvidencePrefix } from '../domain/evidence/evidence-object.ts';
import { lockFor, type RetentionPolicy } from '../domain/evidence/retention.ts';
import type { Clock } from '../domain/ports.ts';
import { registerProducer } from '../domain/producers/register-producer.ts';
import type { Registration } from '../domain/producers/registration.ts';
import { DynamoProducerRegistry } from './dynamo-producer-registry.ts';
import { DynamoTable } from './dynamo-table.ts';
import { createEpochKey, fileEpochKey, type WrappedEpochKey } from './kms-epoch-keys.ts';
import { S3EvidenceVault } from './s3-vault.ts';

export interface AdministrationTarget {
  readonly vaultBucket: string;
  readonly producersTable: string;
  readonly hmacKeyArn: string;
  readonly retention: RetentionPolicy;
}

export interface AdministrationClients {
  readonly s3: S3Client;
  readonly dynamodb: DynamoDBClient;
  readonly kms: KMSClient;
}

const FIRST_EPOCH = 0;

/** What an operator does with AWS credentials of their own: the first HMAC key, and producers. */
export class Administration {
  readonly #kms: KMSClient;
  readonly #vault: S3EvidenceVault;
  readonly #table: DynamoTable;
  readonly #target: AdministrationTarget;
  readonly #clock: Clock;

  constructor(clients: AdministrationClients, target: AdministrationTarget, clock: Clock) {
    this.#kms = clients.kms;
    this.#vault = new S3EvidenceVault(clients.s3, target.vaultBucket);
    this.#table = new DynamoTable(clients.dynamodb, target.producersTable);
    this.#target = target;
    this.#clock = clock;
  }

  /**
   * Makes HMAC key epoch 0 where there is none. The vault's document decides: a run that broke off
   * between vault and table is completed, not repeated.
   */
  async ensureFirstEpoch(): Promise<void> {
    const key = `${EvidencePrefix.keys}hmac/epoch-${FIRST_EPOCH}.json`;
    const held = await this.#vault.find(key);
    if (held) {
      await fileEpochKey(this.#table, JSON.parse(Buffer.from(held).toString()) as WrappedEpochKey);
      return;
    }
    const { hmacKeyArn, retention } = this.#target;
    const notBefore = new Date(0).toISOString();
    const document = await createEpochKey(this.#kms, hmacKeyArn, FIRST_EPOCH, notBefore);
    const now = this.#clock();
    await this.#vault.putDocument(
      key,
      document,
      lockFor(retention, retention.recordDays, now, now),
    );
    await fileEpochKey(this.#table, document);
  }

  /** Registers a producer and answers its bearer key, which is shown this once. */
  register(registration: Registration): Promise<string> {
    const registry = new DynamoProducerRegistry(this.#table, this.#clock);
    return registerProducer(registration, {
      vault: this.#vault,
      putKey: (keyId, keyHash, registered) => registry.putKey(keyId, keyHash, registered),
      retention: this.#target.retention,
      clock: this.#clock,
      randomText: (alphabet, length) =>
        Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join(''),
    });
  }
}
