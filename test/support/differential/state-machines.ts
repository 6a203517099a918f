import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { clientConfig } from '../../../localstack/aws.ts';
import { createClients } from '../../../localstack/clients.ts';
import { waitUntil } from '../../../localstack/process.ts';
import type { Call } from './call.ts';
import { deployFunction } from './functions.ts';

/** Fails by a name of its own until its third call. */
const SOURCE = `let calls = 0;
export const handler = async ({ fail }) => {
  if (fail && ++calls < 3) { const error = new Error('not yet'); error.name = 'NotYet'; throw error; }
  return { calls };
};
`;
const ENDED_WITHIN_MILLIS = 30_000;

/** Whole executions: choices, retries, maps, and definitions that are none. */
export function stateMachineCalls(endpointUrl: string, run: string): readonly Call[] {
  const clients = createClients(endpointUrl);
  const sfn = new SFNClient(clientConfig(endpointUrl));
  const functionName = `${run}-states`;
  let machines = 0;
  const runMachine = async (definition: object, input: object = {}): Promise<string> => {
    machines += 1;
    const { stateMachineArn } = await sfn.send(
      new CreateStateMachineCommand({
        name: `${run}-${machines}`,
        definition: JSON.stringify(definition),
        roleArn: 'arn:aws:iam::000000000000:role/any',
      }),
    );
    const { executionArn } = await sfn.send(
      new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }),
    );
    let answer = '';
    const hasEnded = async () => {
      const { status, output, error } = await sfn.send(
        new DescribeExecutionCommand({ executionArn }),
      );
      answer = `${status} ${error ?? (output === undefined ? '' : JSON.stringify(JSON.parse(output)))}`;
      return status !== 'RUNNING';
    };
    await waitUntil(hasEnded, ENDED_WITHIN_MILLIS, 250);
    return answer.trim();
  };
  const task = (name: string, extra: object) => ({
    StartAt: 'Call',
    States: {
      Call: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: { FunctionName: functionName, Payload: { fail: name } },
        OutputPath: '$.Payload',
        End: true,
        ...extra,
      },
    },
  });
  const retry = (error: string) => ({
    Retry: [{ ErrorEquals: [error], IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 1 }],
  });
  const pass = { StartAt: 'One', States: { One: { Type: 'Pass', End: true } } };
  const items = { items: [{ n: 1 }, { n: 2 }] };
  return [
    {
      name: 'state machine: a definition without its first state',
      ask: () => runMachine({ StartAt: 'Absent', States: pass.States }),
    },
    {
      name: 'state machine: a choice and a failure by name',
      ask: () =>
        runMachine(
          {
            StartAt: 'Choose',
            States: {
              Choose: {
                Type: 'Choice',
                Choices: [{ Variable: '$.n', NumericGreaterThan: 1, Next: 'Fail' }],
                Default: 'Done',
              },
              Fail: { Type: 'Fail', Error: 'TooMany' },
              Done: { Type: 'Succeed' },
            },
          },
          { n: 2 },
        ),
    },
    {
      name: 'state machine: retries by the name of an error',
      ask: async () => {
        await deployFunction(clients, functionName, SOURCE);
        return runMachine(task('named', retry('NotYet')));
      },
    },
    {
      name: 'state machine: an error that nobody retries',
      ask: async () => {
        await deployFunction(clients, `${functionName}-again`, SOURCE);
        const definition = JSON.stringify(task('named', {}));
        return runMachine(JSON.parse(definition.replaceAll(functionName, `${functionName}-again`)));
      },
    },
    {
      name: 'state machine: retries of all errors',
      ask: async () => {
        await deployFunction(clients, `${functionName}-all`, SOURCE);
        const definition = JSON.stringify(task('all', retry('States.ALL')));
        return runMachine(JSON.parse(definition.replaceAll(functionName, `${functionName}-all`)));
      },
    },
    {
      name: 'state machine: an inline map',
      ask: () =>
        runMachine(
          {
            StartAt: 'Map',
            States: { Map: { Type: 'Map', ItemsPath: '$.items', ItemProcessor: pass, End: true } },
          },
          items,
        ),
    },
    {
      name: 'state machine: a distributed map over a file',
      ask: async () => {
        const s3 = new S3Client({ ...clientConfig(endpointUrl), forcePathStyle: true });
        await s3.send(new CreateBucketCommand({ Bucket: `${run}-items` }));
        const Body = JSON.stringify(items.items);
        await s3.send(new PutObjectCommand({ Bucket: `${run}-items`, Key: 'items.json', Body }));
        const ProcessorConfig = { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' };
        return runMachine({
          StartAt: 'Map',
          States: {
            Map: {
              Type: 'Map',
              ItemReader: {
                Resource: 'arn:aws:states:::s3:getObject',
                ReaderConfig: { InputType: 'JSON' },
                Parameters: { Bucket: `${run}-items`, Key: 'items.json' },
              },
              ItemProcessor: { ProcessorConfig, ...pass },
              End: true,
            },
          },
        });
      },
    },
  ];
}
