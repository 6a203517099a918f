import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';

/** SDK clients of the caller. */
export interface AccountClients {
  readonly apiGateway: APIGatewayClient;
  readonly cloudFormation: CloudFormationClient;
  readonly cloudWatch: CloudWatchClient;
  readonly kinesis: KinesisClient;
  readonly kms: KMSClient;
  readonly lambda: LambdaClient;
  readonly logs: CloudWatchLogsClient;
  readonly s3: S3Client;
  /** S3 over plain HTTP, for the one question whether that is refused. */
  readonly s3OverHttp: S3Client;
  readonly sqs: SQSClient;
  readonly sts: STSClient;
  readonly dynamo: DynamoDBClient;
}

/** @param config how all of them reach their service: a region, and of an emulator its endpoint and keys */
export function createAccountClients(
  config: Readonly<{ region: string; endpoint?: string; forcePathStyle?: boolean }>,
): AccountClients {
  return {
    apiGateway: new APIGatewayClient(config),
    cloudFormation: new CloudFormationClient(config),
    cloudWatch: new CloudWatchClient(config),
    dynamo: new DynamoDBClient(config),
    kinesis: new KinesisClient(config),
    kms: new KMSClient(config),
    lambda: new LambdaClient(config),
    logs: new CloudWatchLogsClient(config),
    s3: new S3Client(config),
    s3OverHttp: new S3Client({
      ...config,
      endpoint: config.endpoint ?? `http://s3.${config.region}.amazonaws.com`,
    }),
    sqs: new SQSClient(config),
    sts: new STSClient(config),
  };
}
