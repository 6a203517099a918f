import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from './aws.ts';

/** SDK clients of one local environment. */
export interface Clients {
  readonly cloudformation: CloudFormationClient;
  readonly dynamodb: DynamoDBClient;
  readonly kinesis: KinesisClient;
  readonly kms: KMSClient;
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

/** Clients that can only reach the given emulator. */
export function createClients(endpoint: string): Clients {
  const config = clientConfig(endpoint);
  return {
    cloudformation: new CloudFormationClient(config),
    dynamodb: new DynamoDBClient(config),
    kinesis: new KinesisClient(config),
    kms: new KMSClient(config),
    lambda: new LambdaClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
    sqs: new SQSClient(config),
  };
}
