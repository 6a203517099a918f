import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CreateStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { inject } from 'vitest';
import { type Clients, createClients } from '../../localstack/clients.ts';
import { startEmulator } from '../../localstack/emulator.ts';
import { stopEmulator } from '../../localstack/emulator-end.ts';
import { ministack } from '../../localstack/emulators/ministack.ts';
import { startEventSource, stopEventSource } from '../../localstack/event-source.ts';
import { type LocalPaths, localPaths } from '../../localstack/paths.ts';
import { freePort } from '../../localstack/port.ts';
import { waitUntil } from '../../localstack/process.ts';
import { physicalIds } from '../../localstack/reconcile/resolve.ts';

/** An emulator of its own with one stream, one function that writes down what it processes, and a failure queue. */
export interface Bench {
  readonly clients: Clients;
  readonly paths: LocalPaths;
  readonly streamName: string;
  readonly queueUrl: string;
  /** The function appends a line `sequenceNumber partitionKey number` here for each record it has processed. */
  readonly sink: string;
  startRunner(): Promise<void>;
  stopRunner(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Processes in order, one line each. `throw` anywhere in a batch fails it before anything is processed; `report` is
 * returned as the first failed item after its predecessors were processed.
 */
const FUNCTION = `
const { appendFileSync } = require('node:fs');
exports.handler = async ({ Records }) => {
  const records = Records.map(({ kinesis }) => ({ ...kinesis, ...JSON.parse(Buffer.from(kinesis.data, 'base64')) }));
  if (records.some((record) => record.poison === 'throw')) throw new Error('poison');
  const failed = records.findIndex((record) => record.poison === 'report');
  const done = failed === -1 ? records : records.slice(0, failed);
  if (done.length > 0) appendFileSync(process.env.SINK, done.map((r) => r.sequenceNumber + ' ' + r.partitionKey + ' ' + r.n + '\\n').join(''));
  console.log('processed', done.length);
  return { batchItemFailures: failed === -1 ? [] : [{ itemIdentifier: records[failed].sequenceNumber }] };
};`;

/** Starts the bench; `mapping` holds the settings of the event source mapping under test. */
export async function openBench(shards: number, mapping: Record<string, unknown>): Promise<Bench> {
  const paths = localPaths(mkdtempSync(join(inject('localDir'), 'event-source-')));
  const program = await ministack.install();
  const { emulator } = await startEmulator(ministack, program, paths, await freePort());
  const clients = createClients(emulator.endpoint);
  const sink = join(paths.root, 'processed.txt');
  const ids = await createStack(clients, template(shards, mapping, sink));
  const uuid = ids.get('Mapping') ?? '';
  await clients.lambda.send(new UpdateEventSourceMappingCommand({ UUID: uuid, Enabled: false }));
  return {
    clients,
    paths,
    sink,
    streamName: ids.get('Stream') ?? '',
    queueUrl: new URL(new URL(ids.get('Failures') ?? '').pathname, emulator.endpoint).href,
    startRunner: () => startEventSource(paths, emulator.endpoint, [uuid]),
    stopRunner: async () => {
      await stopEventSource(paths);
    },
    close: async () => {
      await stopEventSource(paths);
      await stopEmulator(paths);
      rmSync(paths.root, { recursive: true, force: true });
    },
  };
}

async function createStack(clients: Clients, body: object): Promise<ReadonlyMap<string, string>> {
  const { cloudformation } = clients;
  const StackName = 'bench';
  await cloudformation.send(
    new CreateStackCommand({ StackName, TemplateBody: JSON.stringify(body) }),
  );
  const isComplete = async () => {
    const answer = await cloudformation.send(new DescribeStacksCommand({ StackName }));
    return answer.Stacks?.[0]?.StackStatus === 'CREATE_COMPLETE';
  };
  if (!(await waitUntil(isComplete, 20_000))) throw new Error('the stack was not created');
  return physicalIds(clients, StackName);
}

function template(shards: number, mapping: Record<string, unknown>, sink: string): object {
  return {
    Resources: {
      Stream: { Type: 'AWS::Kinesis::Stream', Properties: { ShardCount: shards } },
      Failures: { Type: 'AWS::SQS::Queue' },
      Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } },
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Runtime: 'nodejs22.x',
          Handler: 'index.handler',
          Timeout: 30,
          Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
          Code: { ZipFile: FUNCTION },
          Environment: { Variables: { SINK: sink } },
        },
      },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Stream', 'Arn'] },
          FunctionName: { Ref: 'Function' },
          StartingPosition: 'TRIM_HORIZON',
          DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Failures', 'Arn'] } } },
          ...mapping,
        },
      },
    },
  };
}
