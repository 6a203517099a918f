import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { UnavailableError } from '../domain/errors.ts';

/** Key of an item: both parts are {@link storeKey} hashes. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Readonly<Record<string, unknown>>;

const GLOBAL_INDEX = 'byHour';

/** One DynamoDB table, reduced to the four calls that a cache of evidence needs. */
export class DynamoTable {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Puts an item unless its key is taken: the first stored location wins. */
  async putOnce(key: ItemKey, item: Item): Promise<void> {
    await this.#put(key, item, 'attribute_not_exists(pk)', {});
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

  async get(key: ItemKey, consistent: boolean): Promise<Item | undefined> {
    const { Item } = await this.#attempt(() =>
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
      KeyConditionExpression: 'pk = :pk',
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
      IndexName: GLOBAL_INDEX,
      KeyConditionExpression: 'hourKey = :hourKey',
      ExpressionAttributeValues: marshall({ ':hourKey': hourKey }),
    });
  }

  async *#query(input: {
    IndexName?: string;
    KeyConditionExpression: string;
    ExpressionAttributeValues: Record<string, AttributeValue>;
    ConsistentRead?: boolean;
  }): AsyncGenerator<Item> {
    let startKey: Record<string, AttributeValue> | undefined;
    do {
      const page = await this.#attempt(() =>
        this.#client.send(
          new QueryCommand({ TableName: this.#table, ExclusiveStartKey: startKey, ...input }),
        ),
      );
      for (const item of page.Items ?? []) yield unmarshall(item);
      startKey = page.LastEvaluatedKey;
    } while (startKey);
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

  async #attempt<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
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
