import {
  DecryptCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  type KMSClient,
} from '@aws-sdk/client-kms';
import { errorCodes, UnavailableError } from '../domain/errors.ts';
import type { EpochKey } from '../domain/evidence/keyed-hash.ts';
import type { Clock, EpochKeys } from '../domain/evidence/ports.ts';
import { storeKey } from '../domain/store-key.ts';
import type { DynamoTable, ItemKey } from './dynamo-table.ts';
import { HMAC_EPOCHS } from './table-layout.ts';

/** The document of an HMAC epoch, in the vault and copied to the producers table: useless without the CMK. */
export interface WrappedEpochKey {
  readonly hmacKey: 1;
  readonly epoch: number;
  /** RFC 3339 UTC: what is accepted from here on, until the next epoch, is hashed with this key. */
  readonly notBefore: string;
  readonly kmsKeyArn: string;
  /** Base64 of the KMS ciphertext. */
  readonly wrapped: string;
}

/** A new epoch is looked for this often; an operator starts one ahead of time. */
const CACHE_MILLIS = 60_000;

/** Epoch keys, read from the producers table and unwrapped by their CMK once per container. */
export class KmsEpochKeys implements EpochKeys {
  readonly #kms: KMSClient;
  readonly #table: DynamoTable;
  readonly #clock: Clock;
  readonly #unwrapped = new Map<number, EpochKey>();
  #documents: { readonly all: readonly WrappedEpochKey[]; readonly readAt: number } | undefined;

  constructor(kms: KMSClient, table: DynamoTable, clock: Clock) {
    this.#kms = kms;
    this.#table = table;
    this.#clock = clock;
  }

  async at(epochMillis: number): Promise<EpochKey> {
    const documents = await this.#all();
    const current = documents.findLast(({ notBefore }) => Date.parse(notBefore) <= epochMillis);
    if (!current) throw new UnavailableError('hmac_key');
    return this.#unwrap(current);
  }

  async byEpoch(epoch: number, knownAtMillis = 0): Promise<EpochKey | undefined> {
    const isIt = (document: WrappedEpochKey) => document.epoch === epoch;
    const known = (await this.#all()).find(isIt);
    if (known) return this.#unwrap(known);
    const all = await this.#all(knownAtMillis);
    // Without any epoch nothing was ever accepted: the table is not what it should be.
    if (all.length === 0) throw new UnavailableError('hmac_key');
    const found = all.find(isIt);
    return found && this.#unwrap(found);
  }

  /**
   * The keys of all epochs but those whose CMK was deleted, the oldest first.
   * @throws UnavailableError when one cannot be unwrapped for any other reason
   */
  async every(): Promise<EpochKey[]> {
    const keys: EpochKey[] = [];
    for (const document of await this.#all()) {
      try {
        keys.push(await this.#unwrap(document));
      } catch (error) {
        if (!errorCodes(error).includes('NotFoundException')) throw error;
      }
    }
    return keys;
  }

  /** @param notBeforeMillis documents that were read earlier are read anew */
  async #all(notBeforeMillis = 0): Promise<readonly WrappedEpochKey[]> {
    const now = this.#clock();
    const oldest = Math.max(now - CACHE_MILLIS + 1, notBeforeMillis);
    if (this.#documents && this.#documents.readAt >= oldest) return this.#documents.all;
    const items = await this.#table.collection(HMAC_EPOCHS);
    const all = items
      .map((item) => item.document as WrappedEpochKey)
      .sort((a, b) => a.epoch - b.epoch);
    // An empty answer is not cached: the first epoch may be made a second from now.
    if (all.length > 0) this.#documents = { all, readAt: now };
    return all;
  }

  async #unwrap({ epoch, kmsKeyArn, wrapped }: WrappedEpochKey): Promise<EpochKey> {
    const known = this.#unwrapped.get(epoch);
    if (known) return known;
    try {
      const { Plaintext } = await this.#kms.send(
        new DecryptCommand({
          KeyId: kmsKeyArn,
          CiphertextBlob: Buffer.from(wrapped, 'base64'),
          EncryptionContext: encryptionContext(epoch),
        }),
      );
      const key: EpochKey = { epoch, secret: Plaintext as Uint8Array };
      this.#unwrapped.set(epoch, key);
      return key;
    } catch (error) {
      throw new UnavailableError('hmac_key', { cause: error });
    }
  }
}

/** Makes the secret of a new epoch. It leaves KMS wrapped only. */
export async function createEpochKey(
  kms: KMSClient,
  kmsKeyArn: string,
  epoch: number,
  notBefore: string,
): Promise<WrappedEpochKey> {
  const { CiphertextBlob } = await kms.send(
    new GenerateDataKeyWithoutPlaintextCommand({
      KeyId: kmsKeyArn,
      KeySpec: 'AES_256',
      EncryptionContext: encryptionContext(epoch),
    }),
  );
  const wrapped = Buffer.from(CiphertextBlob as Uint8Array).toString('base64');
  return { hmacKey: 1, epoch, notBefore, kmsKeyArn, wrapped };
}

/** Copies the document to the table that ingest reads; the vault has it first. */
export async function fileEpochKey(table: DynamoTable, document: WrappedEpochKey): Promise<void> {
  await table.putOnce(epochKeyItem(document.epoch), { document });
}

function epochKeyItem(epoch: number): ItemKey {
  return { pk: HMAC_EPOCHS, sk: storeKey(String(epoch)) };
}

function encryptionContext(epoch: number): Record<string, string> {
  return { purpose: 'lineage-evidence-hmac', epoch: String(epoch) };
}
