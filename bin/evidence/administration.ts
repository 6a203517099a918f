import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { Administration } from '../../lambdas/adapters/administration.ts';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { CliError, ExitCode } from './cli.ts';
import type { DeploymentRecord } from './deployment.ts';

/** The configuration that a stage was deployed with. @throws CliError usage (2) when there is none */
export function configOf(stage: string): EnvironmentConfig {
  const config = Object.values(environments).find(({ name }) => name === stage);
  if (config) return config;
  throw new CliError(ExitCode.usage, `lib/config/environments.ts has no environment ${stage}.`);
}

/** Administers a deployment with the AWS credentials of the caller. */
export function administrationOf({
  stage,
  region,
  endpointUrl,
  ...resources
}: DeploymentRecord): Administration {
  const client = { region, ...(endpointUrl && { endpoint: endpointUrl }) };
  return new Administration(
    {
      // Virtual-host names of buckets do not resolve on an emulator.
      s3: new S3Client({ ...client, ...(endpointUrl && { forcePathStyle: true }) }),
      dynamodb: new DynamoDBClient(client),
      kms: new KMSClient(client),
    },
    {
      vaultBucket: resources.buckets.vault,
      producersTable: resources.tables.producers,
      hmacKeyArn: resources.hmacKeyArn,
      retention: retentionSetting(configOf(stage)),
    },
    Date.now,
  );
}
