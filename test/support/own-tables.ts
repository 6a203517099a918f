import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Makes an empty table with keys and indexes of another. */
export async function createTableLike(
  client: DynamoDBClient,
  existing: string,
  TableName: string,
): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: existing }));
  const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
    ...{ IndexName, KeySchema, Projection },
  }));
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: Table?.AttributeDefinitions,
      KeySchema: Table?.KeySchema,
      BillingMode: 'PAY_PER_REQUEST',
      ...(indexes?.length && { GlobalSecondaryIndexes: indexes }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
}

export async function dropTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName }));
}
