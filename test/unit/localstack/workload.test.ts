import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../localstack/errors.ts';
import { type ReplayTarget, replayWorkload } from '../../../localstack/workload.ts';
import { readRecording } from '../../../localstack/workload-recording.ts';

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const recording = readRecording();
const now = new Date('2027-01-01T12:00:00Z');

let seen: Seen[];
let answer: (response: ServerResponse, position: number) => void;
let target: ReplayTarget;
let close: () => void;

beforeEach(async () => {
  seen = [];
  answer = (response, position) => {
    const receipt = { receiptId: `r${position}`, acceptedAt: now.toISOString(), deviations: [] };
    response.writeHead(201).end(JSON.stringify(receipt));
  };
  const server = createServer(async (request, response) => {
    seen.push({
      path: request.url ?? '',
      headers: request.headers,
      body: await buffer(request),
    });
    answer(response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  target = { apiUrl: `http://127.0.0.1:${port}/stage`, keys: { lineage: 'kl', traces: 'kt' } };
  close = () => {
    server.close();
    server.closeAllConnections();
  };
});

afterEach(() => close());

describe('replayWorkload', () => {
  it('sends every request in order, with the headers and the encoding of its client', async () => {
    await replayWorkload(target, { now });
    expect(seen.map(({ path }) => path)).toEqual(recording.map(({ path }) => `/stage${path}`));
    for (const [position, { headers, body }] of seen.entries()) {
      const recorded = recording[position];
      const traces = recorded?.path === '/v1/traces';
      expect(headers['user-agent']).toBe(recorded?.headers['User-Agent']);
      expect(headers.authorization).toBe(traces ? 'Bearer kt' : 'Bearer kl');
      expect(headers['transfer-encoding']).toBe(traces ? 'chunked' : undefined);
      expect(headers['content-encoding']).toBe(recorded?.gzip ? 'gzip' : undefined);
      const text = (recorded?.gzip ? gunzipSync(body) : body).toString('utf8');
      expect(text).toHaveLength(recorded?.body.length ?? 0);
    }
    expect(recording.some(({ gzip }) => gzip)).toBe(true);
  });

  it('returns the five runs under the ids that were sent, and a receipt for each event', async () => {
    const { runs, receipts, traceExports } = await replayWorkload(target, { now });
    const names = ['complete', 'failed', 'column-lineage', 'child', 'killed'];
    expect(runs.map(({ name }) => name)).toEqual(names);
    const first = JSON.parse(seen[0]?.body.toString('utf8') ?? '');
    expect(runs[0]?.runId).toBe(first.run.runId);
    expect(runs[0]?.traceId).toBe(first.run.facets.bearingnode_traceContext.traceId);
    expect(receipts).toHaveLength(9);
    expect(receipts[0]).toEqual({
      request: 'complete START',
      receiptId: 'r1',
      acceptedAt: now.toISOString(),
    });
    expect(traceExports).toBe(4);
  });

  it('sends the same bytes again for the same seed and time', async () => {
    await replayWorkload(target, { now, idempotencySeed: 'one' });
    await replayWorkload(target, { now, idempotencySeed: 'one' });
    const half = seen.length / 2;
    const sent = seen.map(({ body }) => body.toString('base64'));
    expect(sent.slice(half)).toEqual(sent.slice(0, half));
  });

  it('repeats a request that got 503, with the same bytes', async () => {
    const accept = answer;
    answer = (response, position) => {
      if (position > 2) accept(response, position);
      else response.writeHead(503, { 'Retry-After': '0' }).end();
    };
    await replayWorkload(target, { now });
    expect(seen).toHaveLength(recording.length + 2);
    expect(seen[1]?.body).toEqual(seen[0]?.body);
    expect(seen[2]?.body).toEqual(seen[0]?.body);
  });

  it('gives up after five repetitions with one sentence', async () => {
    answer = (response) => response.writeHead(503, { 'Retry-After': '0' }).end();
    const replay = replayWorkload(target, { now });
    await expect(replay).rejects.toThrow(/^The workload stopped at 'complete START' .* 503 .*\.$/);
    await expect(replay).rejects.toBeInstanceOf(UserError);
    expect(seen).toHaveLength(6);
  });

  it.each([401, 400, 500])('does not repeat after %i', async (status) => {
    answer = (response) => response.writeHead(status).end();
    await expect(replayWorkload(target, { now })).rejects.toThrow(`answered ${status}`);
    expect(seen).toHaveLength(1);
  });

  it('says so when nobody answers or the answer is no receipt', async () => {
    answer = (response) => response.writeHead(200).end('<html>');
    await expect(replayWorkload(target, { now })).rejects.toThrow('holds no receipt');
    close();
    await expect(replayWorkload(target, { now })).rejects.toThrow('ECONNREFUSED');
  });
});
