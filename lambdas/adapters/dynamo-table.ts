import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
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

/** One DynamoDB table, reduced to what a cache of evidence needs. */
export class DynamoTable {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Puts an item unless its key is taken: the first stored location wins. */
  async putOnce(key: ItemKey, item: Item): Promise<void> {
    await this.#put(key, item, `attribute_not_exists(${TableAttribute.partition})`, {});
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

  /** Items of one hour and shard, page by page; a global index is only eventually consistent. */
  byHour(hourKey: string): AsyncIterable<Item> {
    return this.#query({
      IndexName: HOUR_INDEX,
      KeyConditionExpression: `${TableAttribute.hour} = :hourKey`,
      ExpressionAttributeValues: marshall({ ':hourKey': hourKey }),
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

  async #put(key: ItemKey, item: Item, condition: string, values: Item): Promise<void> {
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: marshall(wellFormed({ ...item, ...key }), { removeUndefinedValues: true }),
          ConditionExpression: condition,
          ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: marshall(values) }),
        }),
      );
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return;
      throw new UnavailableError('dynamodb', { cause: error });
    }
  }
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
