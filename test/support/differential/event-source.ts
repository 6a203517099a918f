import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis';
import {
  CreateEventSourceMappingCommand,
  DeleteEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../../localstack/aws.ts';
import type { Clients } from '../../../localstack/clients.ts';
import { waitUntil } from '../../../localstack/process.ts';
import type { Call } from './call.ts';
import { deployFunction } from './functions.ts';

/** Writes down what it processes; fails as a record says. */
const SOURCE = `import { appendFileSync } from 'node:fs';
export const handler = async ({ Records }) => {
  const numbers = Records.map(({ kinesis }) => Buffer.from(kinesis.data, 'base64').toString());
  if (numbers.includes('throw')) throw new Error('poison');
  const failed = numbers.indexOf('report');
  const done = failed === -1 ? numbers : numbers.slice(0, failed);
  appendFileSync(process.env.SINK, done.map((n) => n + ' ').join(''));
  console.log('done');
  return { batchItemFailures: failed === -1 ? [] : [{ itemIdentifier: Records[failed].kinesis.sequenceNumber }] };
};
`;

/** All is over when nothing more was processed for so long; the slower emulator looks at a stream once a second. */
const QUIET_MILLIS = 6_000;
const LIMIT_MILLIS = 30_000;

/** What the emulator's own poller does with a record that cannot be processed, among good ones of one shard. */
export function eventSourceCalls(
  clients: Clients,
  endpointUrl: string,
  run: string,
): readonly Call[] {
  const scenarios = [
    ['report', false],
    ['throw', false],
    ['throw', true],
  ] as const;
  const ask = async (poison: string, bisect: boolean) => {
    const folder = mkdtempSync(join(tmpdir(), 'differential-'));
    const name = `${run}-${poison}-${bisect ? 'bisected' : 'whole'}`;
    try {
      return await poll({ ...clients, endpointUrl }, name, poison, bisect, join(folder, 'sink'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  // They wait for seconds each, so they wait together.
  let asked: readonly Promise<string>[] | undefined;
  return scenarios.map(([poison, bisect], position) => ({
    name: `event source: ${poison}${bisect ? ', bisected' : ''}`,
    ask: () => {
      asked ??= scenarios.map(([poison, bisect]) => ask(poison, bisect));
      return asked[position] as Promise<string>;
    },
  }));
}

async function poll(
  { kinesis, lambda, sqs, endpointUrl }: Clients & { readonly endpointUrl: string },
  name: string,
  poison: string,
  BisectBatchOnFunctionError: boolean,
  sink: string,
): Promise<string> {
  writeFileSync(sink, '');
  await kinesis.send(new CreateStreamCommand({ StreamName: name, ShardCount: 1 }));
  const isActive = async () =>
    (await kinesis.send(new DescribeStreamSummaryCommand({ StreamName: name })))
      .StreamDescriptionSummary?.StreamStatus === 'ACTIVE';
  await waitUntil(isActive, LIMIT_MILLIS);
  await sqs.send(new CreateQueueCommand({ QueueName: name }));
  await deployFunction({ lambda }, name, SOURCE, { SINK: sink });
  const Records = ['0', '1', poison, '3', '4'].map((text) => ({
    Data: Buffer.from(text),
    PartitionKey: 'a',
  }));
  await kinesis.send(new PutRecordsCommand({ StreamName: name, Records }));
  const { UUID } = await lambda.send(
    new CreateEventSourceMappingCommand({
      EventSourceArn: arn('kinesis', `stream/${name}`),
      FunctionName: name,
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 10,
      MaximumRetryAttempts: 1,
      BisectBatchOnFunctionError,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: arn('sqs', name) } },
    }),
  );
  const failed = await untilQuiet(sink, () =>
    receive(sqs, `${endpointUrl}/${LOCAL_ACCOUNT}/${name}`),
  );
  await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
  const processed = readFileSync(sink, 'utf8').trim();
  return `processed ${processed || 'nothing'}; failed batches of ${failed.join(', ') || 'nothing'}`;
}

function arn(service: string, name: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${name}`;
}

/** Collects the sizes of failed batches until neither they nor the sink have grown for a while. */
async function untilQuiet(
  sink: string,
  more: () => Promise<readonly number[]>,
): Promise<readonly number[]> {
  const failed: number[] = [];
  let seen = '';
  let since = Date.now();
  await waitUntil(
    async () => {
      failed.push(...(await more()));
      const now = `${readFileSync(sink, 'utf8')}/${failed}`;
      if (now !== seen) [seen, since] = [now, Date.now()];
      return Date.now() - since > QUIET_MILLIS;
    },
    LIMIT_MILLIS,
    500,
  );
  return failed.sort();
}

async function receive(sqs: Clients['sqs'], QueueUrl: string): Promise<readonly number[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
  );
  return Messages.map(({ Body = '{}' }) => JSON.parse(Body).KinesisBatchInfo?.batchSize ?? 0);
}
