import { existsSync, readFileSync } from 'node:fs';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../localstack/process.ts';
import { type Bench, openBench } from './event-source.fixture.ts';

const RECORDS = 5_000;
const KEYS = 50;
/** Most records of one PutRecords call. */
const PUT_RECORDS = 500;
const LIMIT_MILLIS = 45_000;

interface Accepted {
  readonly sequenceNumber: string;
  readonly poison: boolean;
}

describe('the event source runner on a real emulator', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench(4, {
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 1,
      MaximumRetryAttempts: 1,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  }, 120_000);

  afterAll(() => bench?.close(), 30_000);

  it(
    'processes 5,000 records of 4 shards exactly once and in order, over poison and a restart',
    async () => {
      const accepted = await putRecords(bench);
      await bench.startRunner();
      await waitUntil(() => processed(bench).length > RECORDS / 4, LIMIT_MILLIS);
      await bench.stopRunner();
      const before = processed(bench).length;
      expect(before).toBeLessThan(RECORDS - 20);
      await bench.startRunner();
      const good = accepted.filter((record) => !record.poison);
      await waitUntil(() => processed(bench).length >= good.length, LIMIT_MILLIS);
      const bad = accepted.filter((record) => record.poison);
      const failures = await receiveFailures(bench, bad.length);

      const lines = processed(bench);
      const sequenceNumbers = lines.map(([sequenceNumber = '']) => sequenceNumber);
      expect(sequenceNumbers.toSorted()).toEqual(good.map((one) => one.sequenceNumber).sort());
      for (let key = 0; key < KEYS; key += 1) {
        const numbers = lines
          .filter((line) => line[1] === `key-${key}`)
          .map((line) => Number(line[2]));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
      const given = failures.map((failure) => failure.KinesisBatchInfo.startSequenceNumber);
      expect(given.sort()).toEqual(bad.map((one) => one.sequenceNumber).sort());
      for (const { requestContext, KinesisBatchInfo } of failures) {
        expect(requestContext.condition).toBe('RetryAttemptsExhausted');
        expect(KinesisBatchInfo.batchSize).toBe(1);
        expect(KinesisBatchInfo.endSequenceNumber).toBe(KinesisBatchInfo.startSequenceNumber);
      }
    },
    2 * LIMIT_MILLIS,
  );
});

/** Every 400th record makes its batch throw, every other 400th is reported as a failed item. */
function poisonOf(n: number): 'throw' | 'report' | undefined {
  if (n % 400 === 7) return 'throw';
  return n % 400 === 207 ? 'report' : undefined;
}

async function putRecords({ clients, streamName }: Bench): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  for (let first = 0; first < RECORDS; first += PUT_RECORDS) {
    const numbers = Array.from({ length: PUT_RECORDS }, (_, index) => first + index);
    const answer = await clients.kinesis.send(
      new PutRecordsCommand({
        StreamName: streamName,
        Records: numbers.map((n) => ({
          PartitionKey: `key-${n % KEYS}`,
          Data: Buffer.from(JSON.stringify({ n, poison: poisonOf(n) })),
        })),
      }),
    );
    answer.Records?.forEach(({ SequenceNumber = '' }, index) => {
      accepted.push({
        sequenceNumber: SequenceNumber,
        poison: poisonOf(first + index) !== undefined,
      });
    });
  }
  return accepted;
}

function processed({ sink }: Bench): string[][] {
  if (!existsSync(sink)) return [];
  const lines = readFileSync(sink, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split(' '));
}

interface Failure {
  readonly requestContext: { readonly condition: string };
  readonly KinesisBatchInfo: {
    readonly startSequenceNumber: string;
    readonly endSequenceNumber: string;
    readonly batchSize: number;
  };
}

async function receiveFailures(bench: Bench, count: number): Promise<Failure[]> {
  const { clients, queueUrl: QueueUrl } = bench;
  const found: Failure[] = [];
  await waitUntil(async () => {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
    for (const { Body = '', ReceiptHandle } of (await clients.sqs.send(receive)).Messages ?? []) {
      found.push(JSON.parse(Body));
      await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return found.length >= count;
  }, LIMIT_MILLIS);
  return found;
}
