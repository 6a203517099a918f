import { randomUUID } from 'node:crypto';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { zipOf } from './zip.ts';

const SOURCE = `export const handler = async ({ Records }) => {
  if (Records.length > 0) process.exit(1);
  return { batchItemFailures: [] };
};
`;

/**
 * A function that dies of any record and is sound otherwise, in the place of an archive function.
 * @param Role ARN; an emulator that does not ask IAM takes any
 */
export async function deployCrashingFunction(
  lambda: LambdaClient,
  Role = 'arn:aws:iam::000000000000:role/any',
): Promise<{ name: string; remove: () => Promise<void> }> {
  const FunctionName = `crashing-${randomUUID()}`;
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      Code: { ZipFile: zipOf('index.mjs', SOURCE) },
      Handler: 'index.handler',
      Role,
      Runtime: 'nodejs24.x',
      Timeout: 5,
    }),
  );
  await waitUntilFunctionActiveV2(
    { client: lambda, minDelay: 1, maxDelay: 1, maxWaitTime: 30 },
    { FunctionName },
  );
  return {
    name: FunctionName,
    remove: async () => void (await lambda.send(new DeleteFunctionCommand({ FunctionName }))),
  };
}
