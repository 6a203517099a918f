import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { DynamoProducerDirectory } from '../../../lambdas/adapters/dynamo-producer-directory.ts';
import { DynamoProducerRegistry } from '../../../lambdas/adapters/dynamo-producer-registry.ts';
import { DynamoRunIndex } from '../../../lambdas/adapters/dynamo-run-index.ts';
import { DynamoTable } from '../../../lambdas/adapters/dynamo-table.ts';
import { DynamoUsage } from '../../../lambdas/adapters/dynamo-usage.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import {
  deliveryEntry,
  NOW,
  NOW_TEXT,
  registration,
  runEventEntry,
} from '../../support/builders.ts';

const dynamo = mockClient(DynamoDBClient);
const table = () => new DynamoTable(new DynamoDBClient({}), 'table');
const puts = () => dynamo.commandCalls(PutItemCommand).map(({ args }) => args[0].input);
const taken = new ConditionalCheckFailedException({ message: 'm', $metadata: {} });
const KEY = { pk: 'p', sk: 's' };

beforeEach(() => dynamo.reset());

describe('DynamoTable', () => {
  it('puts an item only where none is', async () => {
    await table().putOnce(KEY, { a: 1, b: undefined });
    expect(puts()).toEqual([
      {
        TableName: 'table',
        Item: marshall({ a: 1, ...KEY }),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    ]);
  });

  it('replaces an item only while an attribute is as expected', async () => {
    await table().replaceWhere(KEY, { a: 2 }, 'a', 1);
    expect(puts()).toMatchObject([
      {
        ConditionExpression: 'a = :expected',
        ExpressionAttributeValues: marshall({ ':expected': 1 }),
      },
    ]);
  });

  it('puts an item only over one whose attribute is lower', async () => {
    await table().putNewer(KEY, { number: 2 }, 'number');
    expect(puts()).toEqual([
      {
        TableName: 'table',
        Item: marshall({ number: 2, ...KEY }),
        ConditionExpression: 'attribute_not_exists(pk) OR #a < :new',
        ExpressionAttributeNames: { '#a': 'number' },
        ExpressionAttributeValues: marshall({ ':new': 2 }),
      },
    ]);
    dynamo.on(PutItemCommand).rejects(taken);
    await expect(table().putNewer(KEY, { number: 1 }, 'number')).resolves.toBeUndefined();
  });

  it('asks again for what a batch left out, and gives up when it goes on', async () => {
    const keys = Array.from({ length: 150 }, (_, n) => ({ pk: 'p', sk: `${n}` }));
    let left = 3;
    dynamo.on(BatchGetItemCommand).callsFake(({ RequestItems }) => {
      const asked = RequestItems.table.Keys;
      expect(asked.length).toBeLessThanOrEqual(100);
      expect(RequestItems.table.ConsistentRead).toBe(true);
      const cut = left-- > 0 ? 40 : asked.length;
      return {
        Responses: { table: asked.slice(0, cut) },
        UnprocessedKeys: { table: { Keys: asked.slice(cut) } },
      };
    });
    const sorts = (await table().getMany(keys)).map(({ sk }) => sk);
    expect(sorts.sort()).toEqual(keys.map(({ sk }) => sk).sort());
    dynamo.on(BatchGetItemCommand).callsFake(({ RequestItems }) => ({
      Responses: {},
      UnprocessedKeys: RequestItems,
    }));
    await expect(table().getMany([KEY])).rejects.toThrow(UnavailableError);
  });

  it('takes a key that is taken for done: the first item wins', async () => {
    dynamo.on(PutItemCommand).rejects(taken);
    await expect(table().putOnce(KEY, {})).resolves.toBe(false);
  });

  it('tells whether the condition of an update held', async () => {
    const update = {
      set: '#a = :a',
      condition: '#a < :a',
      names: { '#a': 'a' },
      values: { ':a': 1 },
    };
    dynamo.on(UpdateItemCommand).resolvesOnce({}).rejects(taken);
    expect([await table().update(KEY, update), await table().update(KEY, update)]).toEqual([
      true,
      false,
    ]);
    expect(dynamo.commandCalls(UpdateItemCommand)[0]?.args[0].input).toEqual({
      TableName: 'table',
      Key: marshall(KEY),
      UpdateExpression: 'SET #a = :a',
      ConditionExpression: '#a < :a',
      ExpressionAttributeNames: { '#a': 'a' },
      ExpressionAttributeValues: marshall({ ':a': 1 }),
    });
  });

  it.each([
    [
      'an update',
      UpdateItemCommand,
      () => table().update(KEY, { set: '#a = :a', names: {}, values: {} }),
    ],
    ['a put', PutItemCommand, () => table().putOnce(KEY, {})],
    ['a get', GetItemCommand, () => table().get(KEY, true)],
    ['a query', QueryCommand, () => table().collection('p')],
  ])('is unavailable when %s fails', async (_what, command, call) => {
    dynamo.on(command as typeof GetItemCommand).rejects(new Error('canary-7f3e9d01'));
    const thrown = await (call() as Promise<unknown>).catch((error: Error) => error);
    expect(thrown).toBeInstanceOf(UnavailableError);
    expect((thrown as Error).message).not.toContain('canary');
  });

  it('reads a collection whole and consistently', async () => {
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [marshall({ a: 1 })], LastEvaluatedKey: marshall(KEY) })
      .resolvesOnce({ Items: [marshall({ a: 2 })] });
    expect(await table().collection('p')).toEqual([{ a: 1 }, { a: 2 }]);
    const inputs = dynamo.commandCalls(QueryCommand).map(({ args }) => args[0].input);
    expect(inputs).toMatchObject([
      { ConsistentRead: true },
      { ConsistentRead: true, ExclusiveStartKey: marshall(KEY) },
    ]);
  });
});

describe('DynamoRunIndex', () => {
  const index = () => new DynamoRunIndex(table());
  const items = () => puts().map(({ Item }) => unmarshall(Item ?? {}));

  it('keys every row by hashes, and never by what a producer wrote', async () => {
    await index().putRunEvent(
      runEventEntry({ runKey: '', runId: '', receiptId: 'x'.repeat(5_000) }),
    );
    expect(items()[0]).toMatchObject({
      pk: expect.stringMatching(/^[0-9a-f]{64}$/),
      sk: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('files a delivery under its acceptance hour', async () => {
    await index().putDelivery(deliveryEntry());
    await index().putDelivery(deliveryEntry({ acceptedAt: '2026-03-04T06:00:00.000Z' }));
    const [a, b] = items();
    expect(a?.hourKey).toMatch(/^[0-9a-f]{64}$/);
    expect(a?.hourKey).not.toBe(b?.hourKey);
  });

  it('lets no row expire before the version that it points at', async () => {
    await index().putDelivery(deliveryEntry());
    const { expiresAt, entry } = items()[0] as {
      expiresAt: number;
      entry: { lock: { retainUntil: string } };
    };
    expect(expiresAt * 1000).toBeGreaterThan(Date.parse(entry.lock.retainUntil));
  });
});

describe('DynamoProducerRegistry', () => {
  const known = { keyHash: 'hash', registration: registration() };
  const lookups = () => dynamo.commandCalls(GetItemCommand).length;
  const registryAt = () => {
    const time = { now: NOW };
    return { time, registry: new DynamoProducerRegistry(table(), () => time.now, 60) };
  };

  it.each([
    ['a known', { Item: marshall(known) }, known],
    ['an unknown', {}, undefined],
  ])('looks %s id up once in 60 s', async (_what, answer, expected) => {
    dynamo.on(GetItemCommand).resolves(answer);
    const { registry, time } = registryAt();
    expect(await registry.findByKeyId('k')).toEqual(expected);
    time.now += 59_999;
    expect(await registry.findByKeyId('k')).toEqual(expected);
    expect(lookups()).toBe(1);
    time.now += 1;
    await registry.findByKeyId('k');
    expect(lookups()).toBe(2);
  });

  it('sees a key disabled after 60 s at the latest', async () => {
    const disabled = { keyHash: 'hash', registration: registration({ disabled: true }) };
    dynamo
      .on(GetItemCommand)
      .resolvesOnce({ Item: marshall(known) })
      .resolves({ Item: marshall(disabled) });
    const { registry, time } = registryAt();
    await registry.findByKeyId('k');
    time.now += 60_000;
    expect((await registry.findByKeyId('k'))?.registration.disabled).toBe(true);
  });

  it('remembers no outage', async () => {
    dynamo
      .on(GetItemCommand)
      .rejectsOnce(new Error('x'))
      .resolves({ Item: marshall(known) });
    const { registry } = registryAt();
    await expect(registry.findByKeyId('k')).rejects.toThrow(UnavailableError);
    expect(await registry.findByKeyId('k')).toEqual(known);
  });

  it('is not grown without end by ids that strangers make up', async () => {
    dynamo.on(GetItemCommand).resolves({});
    const { registry } = registryAt();
    for (let n = 0; n < 1_001; n++) await registry.findByKeyId(`k${n}`);
    expect(lookups()).toBe(1_001);
    await registry.findByKeyId('k0');
    expect(lookups()).toBe(1_002);
    await registry.findByKeyId('k1000');
    expect(lookups()).toBe(1_002);
  });

  it('keeps known keys however many ids strangers make up', async () => {
    dynamo
      .on(GetItemCommand)
      .resolvesOnce({ Item: marshall(known) })
      .resolves({});
    const { registry } = registryAt();
    await registry.findByKeyId('k');
    for (let n = 0; n < 1_001; n++) await registry.findByKeyId(`k${n}`);
    expect(await registry.findByKeyId('k')).toEqual(known);
    expect(lookups()).toBe(1_002);
  });

  it('reads consistently, so that a new key is not remembered as unknown', async () => {
    dynamo.on(GetItemCommand).resolves({});
    await registryAt().registry.findByKeyId('k');
    expect(dynamo.commandCalls(GetItemCommand)[0]?.args[0].input.ConsistentRead).toBe(true);
  });

  it('ends a cached key when its validity ends', async () => {
    const validUntil = new Date(NOW + 1_000).toISOString();
    dynamo.on(GetItemCommand).resolves({ Item: marshall({ ...known, validUntil }) });
    const { registry, time } = registryAt();
    expect(await registry.findByKeyId('k')).toEqual(known);
    time.now += 1_000;
    expect(await registry.findByKeyId('k')).toBeUndefined();
    expect(lookups()).toBe(1);
  });

  it('looks a role up once in the same time', async () => {
    dynamo.on(GetItemCommand).resolves({ Item: marshall({ producerId: 'p', ...known }) });
    const { registry } = registryAt();
    const role = { account: '1', name: 'r' };
    expect(await registry.findByRole(role)).toEqual(known.registration);
    await registry.findByRole(role);
    expect(lookups()).toBe(1);
  });
});

describe('DynamoProducerDirectory', () => {
  const producer = { version: 1, registration: registration(), keys: [] };
  const directory = () => new DynamoProducerDirectory(table());
  const cancelled = (Code: string) =>
    new TransactionCanceledException({
      ...{ message: 'm', $metadata: {} },
      CancellationReasons: [{ Code }, { Code: 'None' }],
    });

  it('says that a condition failed, and takes anything else for an outage', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('ConditionalCheckFailed'));
    expect(await directory().put(undefined, producer)).toBe(false);
    for (const error of [cancelled('TransactionConflict'), new Error('x')]) {
      dynamo.on(TransactWriteItemsCommand).rejects(error);
      await expect(directory().put(undefined, producer)).rejects.toThrow(UnavailableError);
    }
  });

  it('lets the row of an ended key expire, and no other', async () => {
    dynamo.on(TransactWriteItemsCommand).resolves({});
    const ended = { keyId: 'a', issuedAt: NOW_TEXT, validUntil: NOW_TEXT };
    const keys = [ended, { keyId: 'b', issuedAt: NOW_TEXT }];
    await directory().put(undefined, { ...producer, keys });
    const writes = dynamo.commandCalls(TransactWriteItemsCommand)[0]?.args[0].input.TransactItems;
    const expiring = (writes ?? []).map((write) => JSON.stringify(write).includes('expiresAt'));
    expect(expiring).toEqual([false, true, false]);
  });
});

describe('DynamoUsage', () => {
  const rejection = {
    ...{ hour: '2026-03-04T05', producerId: 'p', rule: 'not_utf8', refused: 2 },
    sample: { at: 'at', requestId: 'r', route: '/v1/traces', path: '$', bytesBucket: 16 },
  };
  const updates = () =>
    dynamo.commandCalls(UpdateItemCommand).map(({ args }) => args[0].input.UpdateExpression ?? '');

  it('counts with one small update once it knows that there are samples enough', async () => {
    dynamo.on(UpdateItemCommand).resolvesOnce({}).rejectsOnce(taken).resolves({});
    const usage = new DynamoUsage(table());
    await usage.count(rejection);
    expect(updates().map((update) => update.includes('#samples'))).toEqual([false, true]);
    await usage.count(rejection);
    expect(
      updates()
        .slice(2)
        .map((update) => update.includes('#samples')),
    ).toEqual([false]);
    await usage.count({ ...rejection, hour: '2026-03-04T06' });
    expect(updates().at(-1)).toContain('#samples');
  });

  it('keeps samples out of the item that every refusal updates', async () => {
    dynamo.on(UpdateItemCommand).resolves({});
    await new DynamoUsage(table()).count(rejection);
    const keys = dynamo.commandCalls(UpdateItemCommand).map(({ args }) => args[0].input.Key);
    expect(new Set(keys.map((key) => key?.sk?.S)).size).toBe(2);
    expect(new Set(keys.map((key) => key?.pk?.S)).size).toBe(1);
  });

  it('sends both updates at once, so that an answer waits for one', async () => {
    dynamo.on(UpdateItemCommand).callsFake(() => new Promise(() => undefined));
    void new DynamoUsage(table()).count(rejection);
    expect(updates()).toHaveLength(2);
  });

  it('spreads the producers of an hour over partitions, and reads every one of them', async () => {
    dynamo.on(UpdateItemCommand).resolves({});
    dynamo.on(QueryCommand).resolves({});
    const usage = new DynamoUsage(table());
    for (let n = 0; n < 500; n++) await usage.count({ ...rejection, producerId: `producer-${n}` });
    const written = dynamo
      .commandCalls(UpdateItemCommand)
      .map(({ args }) => args[0].input.Key?.pk?.S);
    await usage.ofHour(rejection.hour);
    const read = dynamo
      .commandCalls(QueryCommand)
      .map(({ args }) => args[0].input.ExpressionAttributeValues?.[':pk']?.S);
    expect(read).toHaveLength(16);
    expect([...new Set(written)].sort()).toEqual(read.sort());
  });

  it('drops a counter 35 days after its hour, and a window an hour after it began', async () => {
    dynamo.on(UpdateItemCommand).resolves({});
    const usage = new DynamoUsage(table());
    await usage.count(rejection);
    await usage.lease({ producerId: 'p', windowStartMillis: 10_000, tokens: 1, capacity: 2 });
    const expiries = dynamo
      .commandCalls(UpdateItemCommand)
      .map(({ args }) => args[0].input.ExpressionAttributeValues?.[':expiry']?.N);
    const counted = String(Date.parse('2026-04-08T05:00:00Z') / 1_000);
    expect(expiries).toEqual([counted, counted, '3610']);
  });
});
