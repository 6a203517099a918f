import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DecryptCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  KMSClient,
} from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { marshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { DynamoTable } from '../../../lambdas/adapters/dynamo-table.ts';
import {
  createEpochKey,
  fileEpochKey,
  KmsEpochKeys,
} from '../../../lambdas/adapters/kms-epoch-keys.ts';
import { LambdaArchiver } from '../../../lambdas/adapters/lambda-archiver.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { toConsumedRecords } from '../../../lambdas/shared/kinesis-batch.ts';
import { consumed, NOW, runEventText } from '../../support/builders.ts';

const kms = mockClient(KMSClient);
const dynamo = mockClient(DynamoDBClient);
const lambda = mockClient(LambdaClient);
const table = () => new DynamoTable(new DynamoDBClient({}), 'producers');

beforeEach(() => {
  for (const client of [kms, dynamo, lambda]) client.reset();
});

describe('KmsEpochKeys', () => {
  const DAY = 86_400_000;
  const epoch = (n: number, notBefore: number) =>
    marshall({
      document: {
        hmacKey: 1,
        epoch: n,
        notBefore: new Date(notBefore).toISOString(),
        kmsKeyArn: 'arn',
        wrapped: 'd3JhcHBlZA==',
      },
    });
  let now = NOW;
  const keys = () => new KmsEpochKeys(new KMSClient({}), table(), () => now);

  beforeEach(() => {
    dynamo.on(QueryCommand).resolves({ Items: [epoch(1, NOW), epoch(0, NOW - DAY)] });
    kms
      .on(DecryptCommand)
      .callsFake(({ EncryptionContext }) => ({ Plaintext: Buffer.from(EncryptionContext.epoch) }));
  });

  it.each([
    [NOW - DAY, 0],
    [NOW - 1, 0],
    [NOW, 1],
    [NOW + DAY, 1],
  ])('at %i is the key of epoch %i', async (millis, expected) => {
    expect(await keys().at(millis)).toMatchObject({ epoch: expected });
  });

  it('is unavailable before the first epoch: nothing is accepted without a key', async () => {
    await expect(keys().at(NOW - DAY - 1)).rejects.toThrow(UnavailableError);
  });

  it('looks again at once when there is no epoch yet', async () => {
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [] })
      .resolves({ Items: [epoch(0, NOW - DAY)] });
    const epochKeys = keys();
    await expect(epochKeys.at(NOW)).rejects.toThrow(UnavailableError);
    expect(await epochKeys.at(NOW)).toMatchObject({ epoch: 0 });
  });

  it('unwraps a key once, and only for its own purpose and epoch', async () => {
    const epochKeys = keys();
    await epochKeys.at(NOW);
    await epochKeys.at(NOW + 1);
    expect(kms.commandCalls(DecryptCommand)).toHaveLength(1);
    expect(kms.commandCalls(DecryptCommand)[0]?.args[0].input).toMatchObject({
      ...{ KeyId: 'arn', CiphertextBlob: Buffer.from('wrapped') },
      EncryptionContext: { purpose: 'lineage-evidence-hmac', epoch: '1' },
    });
  });

  it('has every key but of epochs whose CMK was deleted, and none when another cannot be unwrapped', async () => {
    expect((await keys().every()).map((key) => key.epoch)).toEqual([0, 1]);
    const refusing = (name: string) =>
      kms.on(DecryptCommand).callsFake(({ EncryptionContext: { epoch } }) => {
        if (epoch === '0') throw Object.assign(new Error(), { name });
        return { Plaintext: Buffer.from(epoch) };
      });
    refusing('NotFoundException');
    expect((await keys().every()).map((key) => key.epoch)).toEqual([1]);
    refusing('DisabledException');
    await expect(keys().every()).rejects.toThrow(UnavailableError);
  });

  it('looks for a new epoch every minute, and no more often', async () => {
    const epochKeys = keys();
    await epochKeys.at(NOW);
    now = NOW + 59_999;
    await epochKeys.at(NOW - 1);
    expect(dynamo.commandCalls(QueryCommand)).toHaveLength(1);
    now = NOW + 60_000;
    await epochKeys.at(NOW - 1);
    expect(dynamo.commandCalls(QueryCommand)).toHaveLength(2);
    now = NOW;
  });

  it('is unavailable when KMS is, and tries again', async () => {
    kms
      .on(DecryptCommand)
      .rejectsOnce(new Error('canary-7f3e9d01'))
      .resolves({ Plaintext: Buffer.alloc(32) });
    const epochKeys = keys();
    const thrown = await epochKeys.at(NOW).catch((error: Error) => error);
    expect(thrown).toBeInstanceOf(UnavailableError);
    expect((thrown as Error).message).not.toContain('canary');
    expect(await epochKeys.at(NOW)).toMatchObject({ epoch: 1 });
  });

  it('knows no key of an epoch that was never made', async () => {
    expect(await keys().byEpoch(7)).toBeUndefined();
    expect(await keys().byEpoch(0)).toMatchObject({ epoch: 0 });
    expect(kms.commandCalls(DecryptCommand)).toHaveLength(1);
  });

  it('reads anew before it says that there is no such epoch, once for what came before', async () => {
    const epochKeys = keys();
    await epochKeys.at(NOW);
    now = NOW + 10_000;
    dynamo.on(QueryCommand).resolves({ Items: [epoch(1, NOW), epoch(2, NOW + 5_000)] });
    expect(await epochKeys.byEpoch(2)).toBeUndefined();
    expect(await epochKeys.byEpoch(2, now)).toMatchObject({ epoch: 2 });
    expect(await epochKeys.byEpoch(7, now)).toBeUndefined();
    expect(await epochKeys.byEpoch(8, now)).toBeUndefined();
    expect(dynamo.commandCalls(QueryCommand)).toHaveLength(2);
    now = NOW;
  });

  it('is unavailable where no epoch is filed at all: that table is not the one', async () => {
    const filled = keys();
    await filled.at(NOW);
    dynamo.on(QueryCommand).resolves({ Items: [] });
    await expect(keys().byEpoch(0)).rejects.toThrow(UnavailableError);
    now = NOW + 10_000;
    await expect(filled.byEpoch(3, now)).rejects.toThrow(UnavailableError);
    now = NOW;
  });

  it('never lets a new secret out of KMS in clear', async () => {
    kms
      .on(GenerateDataKeyWithoutPlaintextCommand)
      .resolves({ CiphertextBlob: Buffer.from('wrapped') });
    const document = await createEpochKey(new KMSClient({}), 'arn', 3, '2026-01-01T00:00:00Z');
    expect(document).toEqual({
      hmacKey: 1,
      epoch: 3,
      notBefore: '2026-01-01T00:00:00Z',
      kmsKeyArn: 'arn',
      wrapped: 'd3JhcHBlZA==',
    });
  });

  it('never replaces the key of an epoch', async () => {
    await fileEpochKey(table(), {
      hmacKey: 1,
      epoch: 0,
      notBefore: '',
      kmsKeyArn: '',
      wrapped: '',
    });
    expect(dynamo.commandCalls(PutItemCommand)[0]?.args[0].input.ConditionExpression).toBe(
      'attribute_not_exists(pk)',
    );
  });
});

describe('LambdaArchiver', () => {
  const archiver = new LambdaArchiver(new LambdaClient({}), {
    lineage: 'archive',
    traces: 'archive-traces',
  });
  const record = consumed(7, runEventText());
  const payload = (answer: unknown) => ({ Payload: Buffer.from(JSON.stringify(answer)) as never });

  it('hands one record over in the shape in which Kinesis does', async () => {
    lambda.on(InvokeCommand).resolves(payload({ batchItemFailures: [] }));
    expect(await archiver.archive('traces', record)).toBe('archived');
    const { FunctionName, Payload, InvocationType } =
      lambda.commandCalls(InvokeCommand)[0]?.args[0].input ?? {};
    expect([FunctionName, InvocationType ?? 'RequestResponse']).toEqual([
      'archive-traces',
      'RequestResponse',
    ]);
    const [seen] = toConsumedRecords(JSON.parse(String(Payload)));
    expect(seen).toEqual({ ...record, data: Buffer.from(record.data) });
  });

  it.each([
    ['crashed', { FunctionError: 'Unhandled', ...payload({ errorMessage: 'x' }) }],
    ['refused', payload({ batchItemFailures: [{ itemIdentifier: '7' }] })],
  ])('calls it %s: %#', async (outcome, answer) => {
    lambda.on(InvokeCommand).resolves(answer);
    expect(await archiver.archive('lineage', record)).toBe(outcome);
  });

  it('asks whether the function works by an invocation without records', async () => {
    lambda
      .on(InvokeCommand)
      .resolvesOnce(payload({ batchItemFailures: [] }))
      .resolves({ FunctionError: 'Unhandled' });
    expect(await archiver.isSound('lineage')).toBe(true);
    expect(
      JSON.parse(String(lambda.commandCalls(InvokeCommand)[0]?.args[0].input.Payload)),
    ).toEqual({ Records: [] });
    expect(await archiver.isSound('lineage')).toBe(false);
  });

  it.each([
    ['a throttled or unreachable function', () => lambda.on(InvokeCommand).rejects(new Error('x'))],
    ['an empty answer', () => lambda.on(InvokeCommand).resolves({})],
    ['an answer that is none', () => lambda.on(InvokeCommand).resolves(payload(null))],
  ])('takes %s for unavailable, never for crashed', async (_, answer) => {
    answer();
    await expect(archiver.archive('lineage', record)).rejects.toThrow(UnavailableError);
  });
});
