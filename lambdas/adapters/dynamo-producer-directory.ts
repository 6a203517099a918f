import type { IssuedKey } from '../domain/producers/issued-key.ts';
import type { ProducerDirectory } from '../domain/producers/ports.ts';
import type { Producer } from '../domain/producers/producer.ts';
import type { Registration } from '../domain/producers/registration.ts';
import { readRoleArn } from '../domain/producers/role-arn.ts';
import type { DynamoTable, Item, JointWrite } from './dynamo-table.ts';
import { bearerKeyItem, PRODUCERS_PARTITION, producerItem, roleItem } from './producer-items.ts';
import { TableAttribute } from './table-layout.ts';

const SECOND_MILLIS = 1_000;
/** DynamoDB may drop the row of an ended key a day later; until then it says that it ended. */
const KEPT_AFTER_END_SECONDS = 86_400;

/** The producers in the producers table, with copies of the registration in the rows of their keys and their role. */
export class DynamoProducerDirectory implements ProducerDirectory {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async find(producerId: string): Promise<Producer | undefined> {
    const item = await this.#table.get(producerItem(producerId), true);
    return item && producerOf(item);
  }

  async list(limit: number, after?: string) {
    const { items, ...rest } = await this.#table.page(PRODUCERS_PARTITION, limit, after);
    return { producers: items.map(producerOf), ...rest };
  }

  async mayHaveRole({ producerId, roleArn }: Registration): Promise<boolean> {
    const role = roleArn === undefined ? undefined : readRoleArn(roleArn);
    if (!role) return true;
    const holder = (await this.#table.get(roleItem(role), true))?.producerId;
    return holder === undefined || holder === producerId;
  }

  put(
    before: Producer | undefined,
    after: Producer,
    newKey?: { readonly keyId: string; readonly keyHash: string },
  ): Promise<boolean> {
    const { registration } = after;
    return this.#table.writeTogether([
      {
        key: producerItem(registration.producerId),
        put: { ...after },
        where: { attribute: 'version', is: before?.version },
      },
      ...after.keys.map((key) => keyWrite(key, registration, newKey)),
      ...roleWrites(before?.registration, registration),
    ]);
  }
}

function keyWrite(
  { keyId, validUntil }: IssuedKey,
  registration: Registration,
  newKey: { readonly keyId: string; readonly keyHash: string } | undefined,
): JointWrite {
  const key = bearerKeyItem(keyId);
  const state: Item = {
    registration,
    ...(validUntil !== undefined && {
      validUntil,
      [TableAttribute.expiry]:
        Math.ceil(Date.parse(validUntil) / SECOND_MILLIS) + KEPT_AFTER_END_SECONDS,
    }),
  };
  return keyId === newKey?.keyId
    ? { key, put: { ...state, keyHash: newKey.keyHash } }
    : { key, set: state };
}

/** A role is taken only while nobody else has it. The row of one that is given up stays, empty: nobody here may delete. */
function roleWrites(before: Registration | undefined, after: Registration): JointWrite[] {
  const roleOf = (arn: string | undefined) => (arn === undefined ? undefined : readRoleArn(arn));
  const [left, held] = [roleOf(before?.roleArn), roleOf(after.roleArn)];
  const heldKey = held && roleItem(held);
  const leftKey = left && roleItem(left);
  const { producerId } = after;
  const where = { attribute: 'producerId', is: producerId, orAbsent: true };
  return [
    ...(heldKey ? [{ key: heldKey, put: { producerId, registration: after }, where }] : []),
    ...(leftKey && leftKey.pk !== heldKey?.pk ? [{ key: leftKey, put: {} }] : []),
  ];
}

function producerOf({ registration, version, keys }: Item): Producer {
  return {
    version: version as number,
    registration: registration as Registration,
    keys: keys as readonly IssuedKey[],
  };
}
