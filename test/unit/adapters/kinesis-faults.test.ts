import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it } from 'vitest';
import { KinesisPublisher } from '../../../lambdas/adapters/kinesis-publisher.ts';
import {
  answerLost,
  broken,
  type FaultPlan,
  nameOf,
  partlyRefused,
  startAwsFaultProxy,
  throttled,
} from '../../support/aws-fault-proxy.ts';

/** Faults after which the stream has nothing that it did not acknowledge. */
const HONEST = [
  [throttled, 0.2],
  [broken, 0.1],
  [partlyRefused, 0.3],
] as const;
const PUBLISHES = 200;
const RECORDS = 5;

/** A stream that takes everything: how often it has each record, by its data. */
async function startStream(taken: Map<string, number>): Promise<Server> {
  const server = createServer(async (incoming, outgoing) => {
    const { Records } = (await json(incoming)) as { Records: Array<{ Data: string }> };
    for (const { Data } of Records) taken.set(Data, (taken.get(Data) ?? 0) + 1);
    const answered = Records.map(({ Data }) => ({ SequenceNumber: Data, ShardId: 's' }));
    outgoing.end(JSON.stringify({ FailedRecordCount: 0, Records: answered }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Publishes through faults; tells what was acknowledged and what the stream took, by data. */
async function publishThrough(faults: FaultPlan[string]) {
  const taken = new Map<string, number>();
  const stream = await startStream(taken);
  const { port } = stream.address() as AddressInfo;
  const plan = { PutRecords: faults };
  const proxy = await startAwsFaultProxy(`http://127.0.0.1:${port}`, plan, 20_261_129);
  try {
    const client = new KinesisClient({
      endpoint: proxy.endpointUrl,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    });
    const publisher = new KinesisPublisher(client, 'stream', Date.now);
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
    for (const [fault] of faults) {
      expect(proxy.counts.get(`PutRecords: ${nameOf(fault)}`)).toBeGreaterThan(10);
    }
    return { acknowledged: published.flat().map(({ data }) => data.toString('base64')), taken };
  } finally {
    await proxy.close();
    stream.close();
  }
}

describe('KinesisPublisher over a network that fails', () => {
  it('acknowledges exactly what the stream took, and sends none of it again', async () => {
    const { acknowledged, taken } = await publishThrough(HONEST);
    expect(acknowledged.length).toBeLessThan(PUBLISHES * RECORDS);
    expect([...taken.keys()].sort()).toEqual(acknowledged.sort());
    expect(new Set(taken.values())).toEqual(new Set([1]));
  });

  it('acknowledges nothing that the stream does not have when answers are lost', async () => {
    const { acknowledged, taken } = await publishThrough([...HONEST, [answerLost, 0.15]]);
    expect(acknowledged.length).toBeLessThan(PUBLISHES * RECORDS);
    expect(acknowledged.filter((data) => !taken.has(data))).toEqual([]);
    // What was stored without our knowing is sent again under the same receipt, which counts once.
    expect(new Set(taken.values()).size).toBeGreaterThan(1);
  });
});
