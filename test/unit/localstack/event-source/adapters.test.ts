import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { sendToDestination } from '../../../../localstack/event-source/destination.ts';
import type { Discarded } from '../../../../localstack/event-source/failure-message.ts';
import { lambdaInvoke } from '../../../../localstack/event-source/lambda-invoke.ts';
import { MAPPING, record, records, SETTINGS } from './support.ts';

const lambda = mockClient(LambdaClient);
const sqs = mockClient(SQSClient);
const s3 = mockClient(S3Client);
const payload = (value: unknown) => Buffer.from(JSON.stringify(value)) as never;

beforeEach(() => {
  for (const mock of [lambda, sqs, s3]) mock.reset();
  lambda.on(GetFunctionConfigurationCommand).resolves({ Role: 'role' });
});

describe('lambdaInvoke', () => {
  const invoke = lambdaInvoke(new LambdaClient({}), () => {});
  const run = (mapping = MAPPING) => invoke(mapping, 'shard', records(3));

  it('reads item failures when the mapping reports them', async () => {
    const failures = { batchItemFailures: [{ itemIdentifier: record(1).sequenceNumber }] };
    lambda.on(InvokeCommand).resolves({ StatusCode: 200, Payload: payload(failures) });
    expect((await run()).outcome).toEqual({ kind: 'partial', from: 1 });
    const settings = { ...SETTINGS, reportsItemFailures: false };
    expect((await run({ ...MAPPING, settings })).outcome).toEqual({ kind: 'success' });
  });

  it('takes a function error as failure, whatever the answer says', async () => {
    const answer = { FunctionError: 'Unhandled', ExecutedVersion: '$LATEST', StatusCode: 200 };
    lambda.on(InvokeCommand).resolves({ ...answer, Payload: payload({ batchItemFailures: [] }) });
    expect(await run()).toEqual({
      outcome: { kind: 'failure' },
      answer: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    });
  });

  it('does not count a throttled call or a broken connection as an invocation', async () => {
    const throttled = new TooManyRequestsException({ message: '', $metadata: {} });
    lambda.on(InvokeCommand).rejectsOnce(throttled).rejectsOnce(new Error('ECONNRESET'));
    expect(await run()).toEqual({ outcome: { kind: 'notInvoked' } });
    expect(await run()).toEqual({ outcome: { kind: 'notInvoked' } });
  });

  it('takes a batch that is too large to be sent as failure, so that it is split', async () => {
    const tooLarge = Object.assign(new Error(''), { name: 'RequestTooLargeException' });
    lambda.on(InvokeCommand).rejects(tooLarge);
    expect(await run()).toEqual({ outcome: { kind: 'failure' } });
  });
});

describe('sendToDestination', () => {
  const now = Date.parse('2026-11-29T12:34:56.789Z');
  const send = sendToDestination(
    new SQSClient({}),
    new S3Client({}),
    'http://127.0.0.1:1',
    () => now,
  );
  const discarded = (onFailureArn: string | undefined): Discarded => {
    const { onFailureArn: _former, ...mapping } = MAPPING;
    return {
      mapping: { ...mapping, ...(onFailureArn && { onFailureArn }) },
      shardId: 'shard',
      condition: 'RetryAttemptsExhausted',
      batch: { records: records(2), failures: 1, invocations: 1, refusals: 0, notBefore: 0 },
    };
  };

  it('sends sequence numbers and no payload to a queue, at the address of the emulator', async () => {
    await send(discarded('arn:aws:sqs:us-east-1:000000000000:failures'));
    const [call] = sqs.commandCalls(SendMessageCommand);
    const { QueueUrl, MessageBody = '' } = call?.args[0].input ?? {};
    expect(QueueUrl).toBe('http://127.0.0.1:1/000000000000/failures');
    expect(JSON.parse(MessageBody).KinesisBatchInfo).toMatchObject({
      startSequenceNumber: record(0).sequenceNumber,
      endSequenceNumber: record(1).sequenceNumber,
    });
    expect(MessageBody).not.toContain(`"${record(0).data}"`);
  });

  it('puts the message with the whole event into a bucket', async () => {
    await send(discarded('arn:aws:s3:::failures'));
    const [call] = s3.commandCalls(PutObjectCommand);
    const { Bucket, Key, Body } = call?.args[0].input ?? {};
    expect(Bucket).toBe('failures');
    expect(Key).toMatch(/^aws\/lambda\/[0-9-]+\/shard\/2026\/11\/29\/2026-11-29T12\.34\.56-/);
    const message = JSON.parse(String(Body));
    expect(message.KinesisBatchInfo.batchSize).toBe(2);
    expect(JSON.parse(message.payload).Records).toHaveLength(2);
  });

  it('drops the batch when the mapping has no destination', async () => {
    await send(discarded(undefined));
    expect([...sqs.calls(), ...s3.calls()]).toEqual([]);
  });

  it('fails for a destination it cannot reach, so that the records are kept', async () => {
    const topic = discarded('arn:aws:sns:us-east-1:000000000000:failures');
    await expect(send(topic)).rejects.toThrow(/sns/);
  });
});
