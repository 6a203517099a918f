import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clients } from '../clients.ts';
import type { Properties, Setting } from './setting.ts';

const type = 'AWS::DynamoDB::Table';

/** Settings of tables. */
export const tableSettings: readonly Setting[] = [
  {
    type,
    name: 'time to live',
    expected: ({ TimeToLiveSpecification }) =>
      TimeToLiveSpecification &&
      (TimeToLiveSpecification as { AttributeName: string }).AttributeName,
    apply: async (clients, TableName, { TimeToLiveSpecification }) => {
      const wanted = TimeToLiveSpecification as { AttributeName: string; Enabled: boolean };
      // Setting what is set already is an error on AWS and here.
      if ((await timeToLive(clients, TableName)) === wanted.AttributeName) return;
      await clients.dynamodb.send(
        new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: wanted }),
      );
    },
    read: (clients, id) => timeToLive(clients, id),
  },
  {
    type,
    name: 'point-in-time recovery',
    expected: (properties) => isRestorable(properties),
    apply: ({ dynamodb }, TableName, properties) =>
      dynamodb.send(
        new UpdateContinuousBackupsCommand({
          TableName,
          PointInTimeRecoverySpecification: {
            PointInTimeRecoveryEnabled: isRestorable(properties) ?? false,
          },
        }),
      ),
    read: async ({ dynamodb }, TableName) => {
      const answer = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName }));
      const recovery = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
      return recovery?.PointInTimeRecoveryStatus === 'ENABLED';
    },
  },
  {
    type,
    name: 'encryption key',
    expected: (properties) => encryptionKey(properties),
    apply: ({ dynamodb }, TableName, properties) =>
      dynamodb.send(
        new UpdateTableCommand({
          TableName,
          SSESpecification: {
            Enabled: true,
            SSEType: 'KMS',
            KMSMasterKeyId: encryptionKey(properties),
          },
        }),
      ),
    read: async ({ dynamodb }, TableName) =>
      (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table?.SSEDescription
        ?.KMSMasterKeyArn,
  },
  {
    type,
    name: 'deletion protection',
    expected: ({ DeletionProtectionEnabled }) => DeletionProtectionEnabled,
    apply: ({ dynamodb }, TableName, { DeletionProtectionEnabled }) =>
      dynamodb.send(
        new UpdateTableCommand({
          TableName,
          DeletionProtectionEnabled: DeletionProtectionEnabled as boolean,
        }),
      ),
    read: async ({ dynamodb }, TableName) =>
      (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table
        ?.DeletionProtectionEnabled ?? false,
  },
];

async function timeToLive({ dynamodb }: Clients, TableName: string): Promise<string | undefined> {
  const answer = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName }));
  const { AttributeName, TimeToLiveStatus } = answer.TimeToLiveDescription ?? {};
  return TimeToLiveStatus === 'ENABLED' ? AttributeName : undefined;
}

function isRestorable({ PointInTimeRecoverySpecification }: Properties): boolean | undefined {
  return (PointInTimeRecoverySpecification as { PointInTimeRecoveryEnabled?: boolean } | undefined)
    ?.PointInTimeRecoveryEnabled;
}

function encryptionKey({ SSESpecification }: Properties): string | undefined {
  return (SSESpecification as { KMSMasterKeyId?: string } | undefined)?.KMSMasterKeyId;
}
