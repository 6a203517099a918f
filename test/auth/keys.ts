import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis';
import { GetBucketEncryptionCommand } from '@aws-sdk/client-s3';
import type { Clients } from '../../localstack/clients.ts';
import type { Environment } from '../../localstack/environment.ts';
import type { KeyOf } from './also-asked-for.ts';

/** Every bucket, table and stream of a deployment with its customer managed key. @throws Error for one without */
export async function keysByResource(
  { buckets, streams, tables }: Environment,
  { dynamodb, kinesis, s3 }: Clients,
): Promise<KeyOf> {
  const pairs = await Promise.all([
    ...Object.values(buckets).map(async (Bucket) => {
      const { ServerSideEncryptionConfiguration } = await s3.send(
        new GetBucketEncryptionCommand({ Bucket }),
      );
      const [rule] = ServerSideEncryptionConfiguration?.Rules ?? [];
      return [
        `arn:aws:s3:::${Bucket}`,
        rule?.ApplyServerSideEncryptionByDefault?.KMSMasterKeyID,
      ] as const;
    }),
    ...Object.values(tables).map(async (TableName) => {
      const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
      return [Table?.TableArn ?? '', Table?.SSEDescription?.KMSMasterKeyArn] as const;
    }),
    ...Object.values(streams).map(async (StreamName) => {
      const { StreamDescriptionSummary } = await kinesis.send(
        new DescribeStreamSummaryCommand({ StreamName }),
      );
      return [StreamDescriptionSummary?.StreamARN ?? '', StreamDescriptionSummary?.KeyId] as const;
    }),
  ]);
  return new Map(
    pairs.map(([resource, key]) => {
      if (!key?.startsWith('arn:aws:kms:')) throw new Error(`${resource} has the key ${key}`);
      return [resource, key] as const;
    }),
  );
}
