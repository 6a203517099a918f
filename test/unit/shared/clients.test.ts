import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ListStreamsCommand } from '@aws-sdk/client-kinesis';
import { DecryptCommand } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createDynamoClient,
  createKinesisClient,
  createKmsClient,
} from '../../../lambdas/shared/clients.ts';

/** Takes connections and never says a word, as a service does whose host has gone. */
describe('a service that never answers', () => {
  const sockets = new Set<Socket>();
  let server: Server;

  beforeAll(async () => {
    server = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.concurrent.each([
    ['Kinesis', () => createKinesisClient().send(new ListStreamsCommand({}))],
    ['DynamoDB', () => createDynamoClient().send(new GetItemCommand({ TableName: 't', Key: {} }))],
    ['KMS', () => createKmsClient().send(new DecryptCommand({ CiphertextBlob: Buffer.from('x') }))],
  ])('is given up, so that the caller can be told: %s', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
