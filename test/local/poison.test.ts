import { randomUUID } from 'node:crypto';
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListShardsCommand,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { describe, expect, inject, it } from 'vitest';
import {
  decodeStreamRecord,
  encodeStreamRecord,
} from '../../lambdas/domain/evidence/stream-record.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const CANARY = 'canary-b0a7b0a7';

describe('a record that cannot be read', () => {
  const store = new StoreClient(inject('environment'));
  const { kinesis, lambda } = store.clients;
  const StreamName = store.environment.streams.lineage;
  const { vault } = store.environment.buckets;

  const good = () => {
    const runId = randomUUID();
    const body = Buffer.from(JSON.stringify(runEvent({ run: { runId } })));
    const head = {
      receiptId: `test-${runId}`,
      acceptedAt: new Date().toISOString(),
      submitter: { producerId: 'demo-lineage', group: 'demo' },
      retentionClass: 'standard',
      received: { epoch: 0, hmac: runId },
      deviations: [],
    };
    return { runId, data: encodeStreamRecord({ head, body }), head };
  };

  it('never blocks or loses its neighbours, and leaves no payload anywhere', async () => {
    const before = good();
    const after = good();
    const poison = [
      Buffer.from(`no head ${CANARY}`),
      Buffer.from(`{"record":1}\n${CANARY}`),
      encodeStreamRecord({ head: good().head, body: Buffer.from(`{"not json ${CANARY}`) }),
      encodeStreamRecord({
        head: good().head,
        body: Buffer.from(JSON.stringify({ [CANARY]: 'no event' })),
      }),
      encodeStreamRecord({
        head: { ...good().head, received: { epoch: 4_242, hmac: 'forged' } },
        body: Buffer.from(JSON.stringify(runEvent({ [CANARY]: 1 }))),
      }),
    ];
    const PartitionKey = randomUUID();
    await kinesis.send(
      new PutRecordsCommand({
        StreamName,
        Records: [before.data, ...poison, after.data].map((Data) => ({ PartitionKey, Data })),
      }),
    );
    for (const { runId } of [before, after]) await store.until(`/api/v1/runs/${runId}`);

    const quarantined = await store.versions(vault, 'quarantine/');
    expect(quarantined.length).toBeGreaterThanOrEqual(poison.length);
    expect(quarantined.map(({ key }) => key)).toContainEqual(
      expect.stringMatching(/-unknown_hmac_epoch\.json$/),
    );
    for (const { key, versionId } of [
      ...quarantined,
      ...(await store.versions(vault, 'findings/')),
    ]) {
      expect((await store.object({ bucket: vault, key, versionId })).toString()).not.toContain(
        CANARY,
      );
      expect(await store.lockOf({ bucket: vault, key, versionId })).toMatchObject({
        Mode: 'GOVERNANCE',
      });
    }
  });

  it('is stored once however often its batch is delivered', async () => {
    const { json: envelope } = await store.store(runEvent());
    const record = await recordAt(envelope.stream);
    const before = await store.versions(vault, 'lineage/');
    const Payload = JSON.stringify({ Records: [record] });
    for (let i = 0; i < 3; i++) {
      const answer = await lambda.send(
        new InvokeCommand({ FunctionName: store.environment.functions.archive, Payload }),
      );
      expect(JSON.parse(Buffer.from(answer.Payload ?? []).toString())).toEqual({
        batchItemFailures: [],
      });
    }
    // A record that arrived in a batch of its own lies there already: the same bytes give the same key.
    const added = (await store.versions(vault, 'lineage/')).length - before.length;
    expect(added).toBeLessThanOrEqual(1);
    const again = await store.get(`/api/v1/events/${envelope.receiptId}`);
    expect(again.json.location).toEqual(envelope.location);
  });

  async function recordAt({
    shardId,
    sequenceNumber,
  }: {
    shardId: string;
    sequenceNumber: string;
  }) {
    const { Shards = [] } = await kinesis.send(new ListShardsCommand({ StreamName }));
    expect(Shards.map(({ ShardId }) => ShardId)).toContain(shardId);
    const { ShardIterator } = await kinesis.send(
      new GetShardIteratorCommand({
        StreamName,
        ShardId: shardId,
        ShardIteratorType: 'AT_SEQUENCE_NUMBER',
        StartingSequenceNumber: sequenceNumber,
      }),
    );
    const { Records = [] } = await kinesis.send(new GetRecordsCommand({ ShardIterator, Limit: 1 }));
    const data = Buffer.from(Records[0]?.Data as Uint8Array);
    expect(decodeStreamRecord(data).head.receiptId).toBeTruthy();
    return {
      eventID: `${shardId}:${sequenceNumber}`,
      kinesis: {
        sequenceNumber,
        approximateArrivalTimestamp: Number(Records[0]?.ApproximateArrivalTimestamp) / 1000,
        data: data.toString('base64'),
      },
    };
  }
});
