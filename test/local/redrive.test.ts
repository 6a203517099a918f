import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis';
import {
  GetFunctionConfigurationCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deployCrashingFunction } from '../support/crashing-function.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

/** A failed redrive is tried again after this long, instead of the half hour of the template. */
const VISIBILITY_SECONDS = 8;
const WITHIN_MILLIS = 60_000;

describe('a record that its archive function gives up on', () => {
  const store = new StoreClient(inject('environment'));
  const { functions, queues, streams } = store.environment;
  const { lambda, sqs, kinesis } = store.clients;
  const QueueUrl = queues.lineageFailures;
  const original = new Map<string, Record<string, string>>();
  let visibilityTimeout = '';

  const deployWith = async (FunctionName: string, change: Record<string, string>) => {
    const Environment = { Variables: { ...original.get(FunctionName), ...change } };
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment }));
  };
  const attribute = async (name: 'VisibilityTimeout' | 'ApproximateNumberOfMessagesNotVisible') => {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
    );
    return Attributes?.[name] ?? '';
  };
  const until = async (what: string, reached: () => Promise<boolean>) => {
    const deadline = Date.now() + WITHIN_MILLIS;
    while (!(await reached())) {
      if (Date.now() > deadline) throw new Error(`not reached: ${what}`);
      await sleep(250);
    }
  };
  const statusOf = async (receiptId: string) =>
    (await store.get(`/api/v1/events/${receiptId}`)).json.status;
  const findingsAbout = async (receiptId: string) => {
    const { vault } = store.environment.buckets;
    const all = await Promise.all(
      (await store.versions(vault, 'findings/')).map(async ({ key, versionId }) =>
        JSON.parse((await store.object({ bucket: vault, key, versionId })).toString()),
      ),
    );
    return all.filter(({ subject }) => subject === receiptId);
  };

  beforeAll(async () => {
    for (const FunctionName of [functions.archive, functions.redrive]) {
      const { Environment } = await lambda.send(
        new GetFunctionConfigurationCommand({ FunctionName }),
      );
      original.set(FunctionName, Environment?.Variables ?? {});
    }
    visibilityTimeout = await attribute('VisibilityTimeout');
    await sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl,
        Attributes: { VisibilityTimeout: `${VISIBILITY_SECONDS}` },
      }),
    );
  });
  afterAll(async () => {
    for (const FunctionName of original.keys()) await deployWith(FunctionName, {});
    await sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl,
        Attributes: { VisibilityTimeout: visibilityTimeout },
      }),
    );
  });

  it('is not given up while the function itself is broken, and stored once it works', async () => {
    await deployWith(functions.archive, { RETENTION: 'broken' });
    const { json } = await store.post('/api/v1/lineage', JSON.stringify(runEvent()));
    await until(
      'redrive has it',
      async () => Number(await attribute('ApproximateNumberOfMessagesNotVisible')) > 0,
    );
    await sleep(2_000);
    expect(await statusOf(json.receiptId)).toBe('pending');

    await deployWith(functions.archive, {});
    await until('stored', async () => (await statusOf(json.receiptId)) === 'stored');
    expect(await findingsAbout(json.receiptId)).toEqual([]);
  });

  it('is named in quarantine and as a finding when it alone crashes the function', async () => {
    const { json } = await store.store(runEvent());
    const body = {
      KinesisBatchInfo: {
        shardId: json.stream.shardId,
        startSequenceNumber: json.stream.sequenceNumber,
        endSequenceNumber: json.stream.sequenceNumber,
        approximateArrivalOfFirstRecord: new Date().toISOString(),
        streamArn: await streamArn(),
      },
    };
    const crashing = await deployCrashingFunction(lambda);
    try {
      await deployWith(functions.redrive, { ARCHIVE_FUNCTION_NAME: crashing.name });
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
      await until('the finding', async () => (await findingsAbout(json.receiptId)).length > 0);
    } finally {
      await deployWith(functions.redrive, {});
      await crashing.remove();
    }
    expect(await findingsAbout(json.receiptId)).toMatchObject([
      {
        kind: 'accepted_not_stored',
        severity: 'critical',
        status: 'confirmed',
        detail: { reason: 'archive_crashed' },
      },
    ]);
    const { vault } = store.environment.buckets;
    const [quarantined] = (await store.versions(vault, 'quarantine/')).filter(({ key }) =>
      key.includes(json.stream.sequenceNumber),
    );
    const document = JSON.parse(
      (
        await store.object({ bucket: vault, ...(quarantined as NonNullable<typeof quarantined>) })
      ).toString(),
    );
    expect(document).toMatchObject({
      quarantine: 1,
      reason: 'archive_crashed',
      head: { receiptId: json.receiptId },
    });
    expect(document).not.toHaveProperty('document');
    // It had been stored before, and what is stored outranks what was given up.
    expect(await statusOf(json.receiptId)).toBe('stored');
  });

  async function streamArn(): Promise<string> {
    const answer = await kinesis.send(
      new DescribeStreamSummaryCommand({ StreamName: streams.lineage }),
    );
    return answer.StreamDescriptionSummary?.StreamARN as string;
  }
});
