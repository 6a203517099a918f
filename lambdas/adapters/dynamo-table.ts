import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { UnavailableError } from '../domain/errors.ts';
import { attempt } from './attempt.ts';
import { HOUR_INDEX, TableAttribute } from './table-layout.ts';

/** Key of an item: both parts are {@link storeKey} hashes. */
export interface ItemKey {
  readonly [TableAttribute.partition]: string;
  readonly [TableAttribute.sort]: string;
}

export type Item = Readonly<Record<string, unknown>>;

/** A change of one item in place; attribute names go through `names`, since many are reserved words. */
export interface ItemUpdate {
  /** What stands behind SET. */
  readonly set: string;
  /** @default - always */
  readonly condition?: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}
/** A write among others that happen together or not at all. */
export type JointWrite =
  | {
      readonly key: ItemKey;
      readonly put: Item;
      /** Only over an item whose attribute has this value; undefined means that there is no such attribute. */
      readonly where?: {
        readonly attribute: string;
        readonly is: unknown;
        /** Also where there is no such attribute. */
        readonly orAbsent?: boolean;
      };
    }
  /** Sets attributes and leaves the others of the item as they are. */
  | { readonly key: ItemKey; readonly set: Item };

/** What DynamoDB takes in one request. */
const MAX_BATCH_GET = 100;

/** One DynamoDB table, reduced to what a cache of evidence needs. */
export class DynamoTable {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Puts an item unless its key is taken: the first stored location wins. False when it was taken. */
  putOnce(key: ItemKey, item: Item): Promise<boolean> {
    return this.#put(key, item, `attribute_not_exists(${TableAttribute.partition})`, {});
  }

  /** Puts an item unless one stands there whose attribute is no greater: the least wins, in whatever order they come. */
  async putLeast(key: ItemKey, item: Item, attribute: string): Promise<void> {
    await this.#put(
      key,
      item,
      `attribute_not_exists(${TableAttribute.partition}) OR ${attribute} > :given`,
      { ':given': item[attribute] },
    );
  }

  /** Puts an item only over one whose attribute still has the expected value. */
  async replaceWhere(
    key: ItemKey,
    item: Item,
    attribute: string,
    expected: unknown,
  ): Promise<void> {
    await this.#put(key, item, `${attribute} = :expected`, { ':expected': expected });
  }

  /** Puts an item unless one stands there whose attribute is as high or higher: the order of writes does not matter. */
  async putNewer(key: ItemKey, item: Item, attribute: string): Promise<void> {
    const condition = `attribute_not_exists(${TableAttribute.partition}) OR #a < :new`;
    await this.#put(key, item, condition, { ':new': item[attribute] }, { '#a': attribute });
  }

  /** Changes an item, which need not be there yet. False when the condition does not hold. */
  async update(key: ItemKey, { set, condition, names, values }: ItemUpdate): Promise<boolean> {
    try {
      await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#table,
          Key: marshall(key),
          UpdateExpression: `SET ${set}`,
          ...(condition && { ConditionExpression: condition }),
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: marshall(wellFormed(values)),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw new UnavailableError('dynamodb', { cause: error });
    }
  }

  /** Makes all writes, or none when a condition does not hold: answers which. */
  async writeTogether(writes: readonly JointWrite[]): Promise<boolean> {
    const TransactItems = writes.map((write) =>
      'put' in write ? { Put: this.#jointPut(write) } : { Update: this.#jointUpdate(write) },
    );
    try {
      await this.#client.send(new TransactWriteItemsCommand({ TransactItems }));
      return true;
    } catch (error) {
      const reasons =
        error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
      if (reasons?.some(({ Code }) => Code === 'ConditionalCheckFailed')) return false;
      throw new UnavailableError('dynamodb', { cause: error });
    }
  }

  async get(key: ItemKey, consistent: boolean): Promise<Item | undefined> {
    const { Item } = await attempt('dynamodb', () =>
      this.#client.send(
        new GetItemCommand({
          TableName: this.#table,
          Key: marshall(key),
          ConsistentRead: consistent,
        }),
      ),
    );
    return Item && unmarshall(Item);
  }

  /** Items by their keys, read consistently, in any order; keys are distinct. */
  async getMany(keys: readonly ItemKey[]): Promise<Item[]> {
    const items: Item[] = [];
    let left = keys.map((key) => marshall(key));
    for (let tries = 0; left.length > 0; tries++) {
      if (tries > keys.length) throw new UnavailableError('dynamodb');
      const asked = left.slice(0, MAX_BATCH_GET);
      const { Responses = {}, UnprocessedKeys = {} } = await attempt('dynamodb', () =>
        this.#client.send(
          new BatchGetItemCommand({
            RequestItems: { [this.#table]: { Keys: asked, ConsistentRead: true } },
          }),
        ),
      );
      for (const item of Responses[this.#table] ?? []) items.push(unmarshall(item));
      left = [...(UnprocessedKeys[this.#table]?.Keys ?? []), ...left.slice(MAX_BATCH_GET)];
    }
    return items;
  }

  /** All items of one partition, read consistently. */
  async collection(pk: string): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this.#query({
      KeyConditionExpression: `${TableAttribute.partition} = :pk`,
      ExpressionAttributeValues: marshall({ ':pk': pk }),
      ConsistentRead: true,
    })) {
      items.push(item);
    }
    return items;
  }

  /**
   * Some items of one partition in the order of their sort keys, read consistently, and where the next
   * page starts. It may be shorter than asked for and not the last.
   */
  async page(pk: string, limit: number, after?: string): Promise<{ items: Item[]; next?: string }> {
    const { Items = [], LastEvaluatedKey } = await attempt('dynamodb', () =>
      this.#client.send(
        new QueryCommand({
          ...{ TableName: this.#table, Limit: limit, ConsistentRead: true },
          KeyConditionExpression: `${TableAttribute.partition} = :pk`,
          ExpressionAttributeValues: marshall({ ':pk': pk }),
          ...(after !== undefined && {
            ExclusiveStartKey: marshall({
              [TableAttribute.partition]: pk,
              [TableAttribute.sort]: after,
            }),
          }),
        }),
      ),
    );
    const next = LastEvaluatedKey && unmarshall(LastEvaluatedKey)[TableAttribute.sort];
    return { items: Items.map((item) => unmarshall(item)), ...(next !== undefined && { next }) };
  }

  /** Items of one hour and shard, page by page; a global index is only eventually consistent. */
  byHour(hourKey: string): AsyncIterable<Item> {
    return this.#query({
      IndexName: HOUR_INDEX,
      KeyConditionExpression: `${TableAttribute.hour} = :hourKey`,
      ExpressionAttributeValues: marshall({ ':hourKey': hourKey }),
    });
  }

  /** Items of one partition that DynamoDB may drop before a time (seconds since 1970), page by page. */
  expiringBefore(pk: string, seconds: number): AsyncIterable<Item> {
    return this.#query({
      KeyConditionExpression: `${TableAttribute.partition} = :pk`,
      FilterExpression: `${TableAttribute.expiry} < :seconds`,
      ExpressionAttributeValues: marshall({ ':pk': pk, ':seconds': seconds }),
      ConsistentRead: true,
    });
  }

  /** Whether a partition has any item. */
  async holds(pk: string): Promise<boolean> {
    const { Count = 0 } = await attempt('dynamodb', () =>
      this.#client.send(
        new QueryCommand({
          ...{ TableName: this.#table, Limit: 1, Select: 'COUNT', ConsistentRead: true },
          KeyConditionExpression: `${TableAttribute.partition} = :pk`,
          ExpressionAttributeValues: marshall({ ':pk': pk }),
        }),
      ),
    );
    return Count > 0;
  }

  async *#query(input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item> {
    try {
      for await (const { Items = [] } of paginateQuery(
        { client: this.#client },
        { ...input, TableName: this.#table },
      )) {
        for (const item of Items) yield unmarshall(item);
      }
    } catch (error) {
      throw new UnavailableError('dynamodb', { cause: error });
    }
  }

  async #put(
    key: ItemKey,
    item: Item,
    condition: string,
    values: Item,
    names?: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: toRow({ ...item, ...key }),
          ConditionExpression: condition,
          ...(names && { ExpressionAttributeNames: names }),
          ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: marshall(values) }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw new UnavailableError('dynamodb', { cause: error });
    }
  }

  #jointPut({ key, put, where }: Extract<JointWrite, { put: Item }>) {
    return {
      TableName: this.#table,
      Item: toRow({ ...put, ...key }),
      ...(where && {
        ConditionExpression: [
          ...(where.is === undefined || where.orAbsent ? ['attribute_not_exists(#a)'] : []),
          ...(where.is === undefined ? [] : ['#a = :expected']),
        ].join(' OR '),
        ExpressionAttributeNames: { '#a': where.attribute },
        ...(where.is !== undefined && {
          ExpressionAttributeValues: marshall({ ':expected': where.is }),
        }),
      }),
    };
  }

  #jointUpdate({ key, set }: Extract<JointWrite, { set: Item }>) {
    const given = Object.entries(set).filter(([, value]) => value !== undefined);
    return {
      TableName: this.#table,
      Key: marshall(key),
      UpdateExpression: `SET ${given.map((_, i) => `#n${i} = :v${i}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(given.map(([name], i) => [`#n${i}`, name])),
      ExpressionAttributeValues: toRow(
        Object.fromEntries(given.map(([, value], i) => [`:v${i}`, value])),
      ),
    };
  }
}

function toRow(item: Item) {
  return marshall(wellFormed(item), { removeUndefinedValues: true });
}

/** DynamoDB takes UTF-8 only: a lone surrogate of a producer's text becomes U+FFFD in a row, and stays in the vault. */
function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.toWellFormed(), wellFormed(inner)]),
  ) as T;
}
