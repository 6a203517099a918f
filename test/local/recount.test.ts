import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamSummaryCommand,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { KinesisStreamCounter } from '../../lambdas/adapters/kinesis-stream-counter.ts';
import { S3VersionInspector } from '../../lambdas/adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../../lambdas/adapters/s3-version-reader.ts';
import { encodeStreamRecord } from '../../lambdas/domain/evidence/stream-record.ts';
import { recount } from '../../lambdas/domain/integrity/recount.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const HOUR_MILLIS = 3_600_000;

describe('a recount of the deployed streams', () => {
  const store = new StoreClient(inject('environment'));
  const { kinesis, lambda, s3 } = store.clients;
  const { buckets, functions, streams } = store.environment;

  /** Counts what arrived from one instant to another, as if it were two hours later. */
  const count = async (from: number, to: number, lineage = streams.lineage) => {
    const { recounts, findings, failures } = await recount(
      { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      undefined,
      {
        counter: new KinesisStreamCounter(kinesis, { lineage, traces: streams.traces }),
        inspector: new S3VersionInspector(s3),
        reader: new S3VersionReader(s3),
        ...{ vaultBucket: buckets.vault, stagingBucket: buckets.staging },
        graceMillis: HOUR_MILLIS,
        ...{ asOfMillis: to + 2 * HOUR_MILLIS, clock: Date.now, hasTime: () => true },
      },
    );
    expect(failures).toEqual([]);
    const total = (of: 'accepted' | 'stored') =>
      recounts
        .filter(({ plane }) => plane === 'lineage')
        .reduce((sum, shard) => sum + (shard[of] ?? 0), 0);
    return {
      ...{ recounts, accepted: total('accepted'), stored: total('stored') },
      missing: recounts.flatMap((shard) => shard.missing ?? []).sort(),
      subjects: findings.map(({ kind, subject }) => `${kind} ${subject}`).sort(),
    };
  };

  it('names exactly the records of an object that is gone', async () => {
    const from = Date.now();
    const stored = [];
    for (let n = 0; n < 4; n++) stored.push((await store.store(runEvent())).json);
    const to = Date.now() + 1;
    expect(await count(from, to)).toMatchObject({ accepted: 4, stored: 4, missing: [] });

    const { bucket: Bucket, key: Key, versionId: VersionId } = stored[1].location;
    await s3.send(
      new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention: true }),
    );
    const gone = stored.filter(({ location }) => location.versionId === VersionId);
    const { missing, subjects, ...counted } = await count(from, to);
    expect(missing).toEqual(gone.map(({ stream }) => stream.sequenceNumber).sort());
    expect(subjects).toEqual(
      gone
        .map(({ stream }) => `accepted_not_stored ${stream.shardId}/${stream.sequenceNumber}`)
        .sort(),
    );
    expect(counted).toMatchObject({ accepted: 4, stored: 4 - gone.length });
  });

  describe('that nobody consumes', () => {
    const StreamName = `recount-${randomUUID()}`;
    const active = async () => {
      for (;;) {
        const { StreamDescriptionSummary } = await kinesis.send(
          new DescribeStreamSummaryCommand({ StreamName }),
        );
        if (StreamDescriptionSummary?.StreamStatus === 'ACTIVE') return;
        await sleep(100);
      }
    };
    beforeAll(async () => {
      await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount: 2 }));
      await active();
    });
    afterAll(() => kinesis.send(new DeleteStreamCommand({ StreamName })));

    const put = async (records: number) => {
      const data = Array.from({ length: records }, () => {
        const runId = randomUUID();
        const body = Buffer.from(JSON.stringify(runEvent({ run: { runId } })));
        const head = {
          ...{ receiptId: `test-${runId}`, acceptedAt: new Date().toISOString() },
          submitter: { producerId: 'demo-lineage', group: 'demo' },
          ...{ retentionClass: 'standard', received: { epoch: 0, hmac: runId }, deviations: [] },
        };
        return encodeStreamRecord({ head, body });
      });
      const { Records = [] } = await kinesis.send(
        new PutRecordsCommand({
          StreamName,
          Records: data.map((Data) => ({ PartitionKey: randomUUID(), Data })),
        }),
      );
      return Records.map(({ ShardId, SequenceNumber }, n) => ({
        eventID: `${ShardId}:${SequenceNumber}`,
        sequenceNumber: SequenceNumber as string,
        kinesis: {
          sequenceNumber: SequenceNumber,
          approximateArrivalTimestamp: Date.now() / 1000,
          data: Buffer.from(data[n] as Uint8Array).toString('base64'),
        },
      }));
    };
    /** Archives records by the deployed function, one invocation for each, so of one shard. */
    const archive = async (records: Awaited<ReturnType<typeof put>>) => {
      for (const record of records) {
        const answer = await lambda.send(
          new InvokeCommand({
            FunctionName: functions.archive,
            Payload: JSON.stringify({ Records: [record] }),
          }),
        );
        expect(JSON.parse(Buffer.from(answer.Payload ?? []).toString())).toEqual({
          batchItemFailures: [],
        });
      }
    };

    it('names what its consumer dropped', async () => {
      const from = Date.now();
      const records = await put(9);
      const to = Date.now() + 1;
      const dropped = [records[0], records[4], records[8]].map((record) => record?.sequenceNumber);
      await archive(records.filter(({ sequenceNumber }) => !dropped.includes(sequenceNumber)));
      const found = await count(from, to, StreamName);
      expect(found).toMatchObject({ accepted: 9, stored: 6, missing: dropped.sort() });
      const shards = found.recounts.filter(({ plane }) => plane === 'lineage');
      expect(shards.map(({ shardId }) => shardId)).toHaveLength(2);
    });
  });
});
