import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replayOnce } from '../../../localstack/first-workload.ts';
import { waitUntilStored } from '../../../localstack/report.ts';

const KEYS = { lineage: 'l', traces: 't', read: 'r', admin: 'a' };

let folder: string;
let posts: number;
let environment: { apiUrl: string; keys: typeof KEYS };
let close: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'workload-'));
  posts = 0;
  const server = createServer((request, response) => {
    request.resume();
    // Accepts everything, and can read nothing of it.
    if (request.method !== 'POST') response.writeHead(404).end();
    else response.writeHead(201).end(JSON.stringify({ receiptId: `r${posts++}`, acceptedAt: '' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  environment = { apiUrl: `http://127.0.0.1:${port}`, keys: KEYS };
  close = () => {
    server.close();
    server.closeAllConnections();
  };
});

afterEach(() => {
  close();
  rmSync(folder, { recursive: true });
});

const replay = () => replayOnce(join(folder, 'workload.json'), environment);

describe('replayOnce', () => {
  it('sends once, and says of the second time that an earlier start sent it', async () => {
    const { earlier, ...sent } = await replay();
    const sentRequests = posts;
    expect(earlier).toBe(false);
    expect(await replay()).toEqual({ ...sent, earlier: true });
    expect(posts).toBe(sentRequests);
  });
});

describe('waitUntilStored', () => {
  it('sends to the logs when what was just sent is not readable', async () => {
    await expect(waitUntilStored(environment, await replay(), 0)).rejects.toThrow(
      /^The event r0 was accepted but .* logs of the archive function/,
    );
  });

  it('asks for a reset when an earlier start sent it', async () => {
    await replay();
    await expect(waitUntilStored(environment, await replay(), 0)).rejects.toThrow(
      /^The event r0 of an earlier start .* older version .* npm run reset/,
    );
  });
});
