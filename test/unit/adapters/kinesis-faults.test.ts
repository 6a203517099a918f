import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KinesisPublisher } from '../../../lambdas/adapters/kinesis-publisher.ts';
import {
  type AwsFaultProxy,
  answerLost,
  broken,
  type FaultPlan,
  nameOf,
  partlyRefused,
  startAwsFaultProxy,
  throttled,
} from '../../support/aws-fault-proxy.ts';

const PLAN: FaultPlan = {
  PutRecords: [
    [throttled, 0.2],
    [broken, 0.1],
    [partlyRefused, 0.3],
    [answerLost, 0.15],
  ],
};
const PUBLISHES = 200;
const RECORDS = 5;

/** A stream that takes everything: how often it has each record, by its data. */
function startStream(taken: Map<string, number>): Server {
  return createServer(async (incoming, outgoing) => {
    const { Records } = (await json(incoming)) as { Records: Array<{ Data: string }> };
    for (const { Data } of Records) taken.set(Data, (taken.get(Data) ?? 0) + 1);
    const answered = Records.map(({ Data }) => ({ SequenceNumber: Data, ShardId: 's' }));
    outgoing.end(JSON.stringify({ FailedRecordCount: 0, Records: answered }));
  }).listen(0, '127.0.0.1');
}

describe('KinesisPublisher over a network that fails', () => {
  const taken = new Map<string, number>();
  const stream = startStream(taken);
  let proxy: AwsFaultProxy;
  let publisher: KinesisPublisher;

  beforeAll(async () => {
    const { port } = stream.address() as AddressInfo;
    proxy = await startAwsFaultProxy(`http://127.0.0.1:${port}`, PLAN, 20_261_129);
    const client = new KinesisClient({
      endpoint: proxy.endpointUrl,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    });
    publisher = new KinesisPublisher(client, 'stream', Date.now);
  });
  afterAll(async () => {
    await proxy.close();
    stream.close();
  });

  it('acknowledges nothing that the stream does not have, and sends nothing again that was acknowledged', async () => {
    const published = await Promise.all(
      Array.from({ length: PUBLISHES }, async (_, n) => {
        const records = Array.from({ length: RECORDS }, (_, i) => ({
          partitionKey: `${n}`,
          data: Buffer.from(`record ${n} ${i}`),
        }));
        const acknowledged = await publisher.publish(records).catch(() => []);
        return records.filter((_, i) => acknowledged[i]);
      }),
    );
    const acknowledged = published.flat().map(({ data }) => data.toString('base64'));

    expect(acknowledged.filter((data) => !taken.has(data))).toEqual([]);
    for (const [fault] of PLAN.PutRecords ?? []) {
      expect(proxy.counts.get(`PutRecords: ${nameOf(fault)}`)).toBeGreaterThan(10);
    }
    // Some were given up, and only a lost answer makes the stream have a record twice.
    expect(acknowledged.length).toBeLessThan(PUBLISHES * RECORDS);
    const again = [...taken.values()].reduce((sum, times) => sum + times - 1, 0);
    const lost = proxy.counts.get(`PutRecords: ${nameOf(answerLost)}`) ?? 0;
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(lost * RECORDS);
  });
});
