import { KinesisClient } from '@aws-sdk/client-kinesis';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../aws.ts';
import { fileCheckpoints } from './checkpoint-store.ts';
import { sendToDestination } from './destination.ts';
import { kinesisReader, streamCreatedAt } from './kinesis-reader.ts';
import { lambdaInvoke } from './lambda-invoke.ts';
import { readMapping } from './mapping.ts';
import { runMapping } from './mapping-loop.ts';

/** What a runner works on. */
export interface RunnerConfig {
  readonly endpoint: string;
  /** Ids of the event source mappings, disabled on the emulator because this runner replaces them. */
  readonly mappings: readonly string[];
  /** Folder of the checkpoints. */
  readonly folder: string;
}

/** A function may run for 15 minutes; a client that gives up earlier would invoke it a second time. */
const INVOKE_HANDLER = { requestTimeout: 910_000, connectionTimeout: 2_000 };

/** Runs one mapping until the signal ends it; running invocations are waited for. */
export type MappingRun = (signal: AbortSignal) => Promise<void>;

/** Reads the mappings and says how to run each. Throws when one cannot be read or has settings nobody honours here. */
export async function prepareMappings(
  config: RunnerConfig,
  log: (line: string) => void,
): Promise<readonly MappingRun[]> {
  const shared = clientConfig(config.endpoint);
  const kinesis = new KinesisClient(shared);
  const lambda = new LambdaClient({ ...shared, maxAttempts: 1, requestHandler: INVOKE_HANDLER });
  const sqs = new SQSClient(shared);
  const s3 = new S3Client({ ...shared, forcePathStyle: true });
  const now = () => Date.now();
  const invoke = lambdaInvoke(lambda, log);
  const sendDiscarded = sendToDestination(sqs, s3, config.endpoint, now);
  return Promise.all(
    config.mappings.map(async (uuid) => {
      const mapping = await readMapping(lambda, uuid);
      const createdAt = await streamCreatedAt(kinesis, mapping.streamArn);
      const checkpoints = fileCheckpoints(config.folder, mapping, createdAt);
      const reader = kinesisReader(kinesis, mapping.streamArn);
      const ports = { reader, invoke, sendDiscarded, now, log };
      return (signal: AbortSignal) => runMapping(ports, mapping, checkpoints, signal);
    }),
  );
}
