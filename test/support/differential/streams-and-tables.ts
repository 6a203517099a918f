import {
  BatchGetItemCommand,
  CreateTableCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  PutRecordCommand,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis';
import type { Clients } from '../../../localstack/clients.ts';
import { waitUntil } from '../../../localstack/process.ts';
import { type Call, ok } from './call.ts';

const MIB = 1024 * 1024;
const ACTIVE_WITHIN_MILLIS = 20_000;

/** Limits of streams, and conditions and limits of tables. */
export function streamAndTableCalls({ dynamodb, kinesis }: Clients, run: string): readonly Call[] {
  const StreamName = `${run}-stream`;
  const TableName = `${run}-table`;
  const record = (bytes: number) => ({ Data: Buffer.alloc(bytes), PartitionKey: 'a' });
  const item = (id: string, bytes = 1) => ({ id: { S: id }, text: { S: 'x'.repeat(bytes) } });
  return [
    {
      name: 'stream: created',
      ask: async () => {
        await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount: 1 }));
        const isActive = async () => {
          const answer = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName }));
          return answer.StreamDescriptionSummary?.StreamStatus === 'ACTIVE';
        };
        return (await waitUntil(isActive, ACTIVE_WITHIN_MILLIS)) ? 'ok' : 'not active';
      },
    },
    {
      name: 'stream: a record of over 1 MiB',
      ask: () => ok(kinesis.send(new PutRecordCommand({ StreamName, ...record(MIB + 1) }))),
    },
    {
      name: 'stream: 501 records in one call',
      ask: () =>
        ok(
          kinesis.send(
            new PutRecordsCommand({ StreamName, Records: new Array(501).fill(record(1)) }),
          ),
        ),
    },
    {
      name: 'stream: read after the newest',
      ask: async () => {
        const { ShardIterator } = await kinesis.send(
          new GetShardIteratorCommand({
            StreamName,
            ShardId: 'shardId-000000000000',
            ShardIteratorType: 'LATEST',
          }),
        );
        await kinesis.send(new PutRecordCommand({ StreamName, ...record(1) }));
        const { Records = [] } = await kinesis.send(new GetRecordsCommand({ ShardIterator }));
        return `${Records.length} record`;
      },
    },
    {
      name: 'table: created',
      ask: () =>
        ok(
          dynamodb.send(
            new CreateTableCommand({
              TableName,
              BillingMode: 'PAY_PER_REQUEST',
              AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
              KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
            }),
          ),
        ),
    },
    {
      name: 'table: a condition that fails',
      ask: async () => {
        const ConditionExpression = 'attribute_not_exists(id)';
        const put = { TableName, Item: item('once'), ConditionExpression };
        await dynamodb.send(new PutItemCommand(put));
        return ok(dynamodb.send(new PutItemCommand(put)));
      },
    },
    {
      name: 'table: a transaction of which one condition fails',
      ask: async () => {
        const put = (id: string) => ({
          Put: { TableName, Item: item(id), ConditionExpression: 'attribute_not_exists(id)' },
        });
        return ok(
          dynamodb.send(
            new TransactWriteItemsCommand({ TransactItems: [put('other'), put('once')] }),
          ),
        );
      },
    },
    {
      name: 'table: an item of over 400 KB',
      ask: () => ok(dynamodb.send(new PutItemCommand({ TableName, Item: item('big', 410_000) }))),
    },
    {
      name: 'table: 101 keys in one BatchGetItem',
      ask: () => {
        const Keys = Array.from({ length: 101 }, (_, n) => ({ id: { S: `${n}` } }));
        return ok(
          dynamodb.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } })),
        );
      },
    },
  ];
}
