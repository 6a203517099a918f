import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { kinesisEvent } from './event.ts';
import type { LastAnswer } from './failure-message.ts';
import type { Mapping, StreamRecord } from './model.ts';
import type { Invoke } from './ports.ts';
import { type Outcome, readResponse } from './response.ts';
import { nameOf } from './shard-run.ts';

/** Invokes functions through the SDK; whatever keeps the function from running is `notInvoked`. */
export function lambdaInvoke(lambda: LambdaClient, log: (line: string) => void): Invoke {
  const roles = new Map<string, string>();
  return async (mapping, shardId, records) => {
    try {
      const roleArn = roles.get(mapping.functionArn) ?? (await readRole(lambda, mapping));
      roles.set(mapping.functionArn, roleArn);
      const event = kinesisEvent(mapping, shardId, records, roleArn);
      const answer = await lambda.send(
        new InvokeCommand({
          FunctionName: mapping.functionArn,
          InvocationType: 'RequestResponse',
          Payload: Buffer.from(JSON.stringify(event)),
        }),
      );
      const lastAnswer: LastAnswer = {
        statusCode: answer.StatusCode ?? 200,
        executedVersion: answer.ExecutedVersion ?? '$LATEST',
        ...(answer.FunctionError && { functionError: answer.FunctionError }),
      };
      return { outcome: outcomeOf(mapping, records, answer), answer: lastAnswer };
    } catch (error) {
      log(`${shardId}: not invoked: ${nameOf(error)}`);
      // Too large to be sent is a matter of the batch, so that it is split and in the end given up.
      const isTooLarge = nameOf(error) === 'RequestTooLargeException';
      return { outcome: { kind: isTooLarge ? 'failure' : 'notInvoked' } };
    }
  };
}

function outcomeOf(
  mapping: Mapping,
  records: readonly StreamRecord[],
  answer: { FunctionError?: string | undefined; Payload?: Uint8Array | undefined },
): Outcome {
  if (answer.FunctionError) return { kind: 'failure' };
  if (!mapping.settings.reportsItemFailures) return { kind: 'success' };
  return readResponse(Buffer.from(answer.Payload ?? []).toString('utf8'), records);
}

async function readRole(lambda: LambdaClient, mapping: Mapping): Promise<string> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: mapping.functionArn });
  return (await lambda.send(command)).Role ?? '';
}
