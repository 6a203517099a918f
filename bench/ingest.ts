import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { bearerKeyHash, composeBearerKey } from '../lambdas/domain/producers/bearer-key.ts';
import { RateLimiter } from '../lambdas/domain/producers/rate-limit.ts';
import { createHandler } from '../lambdas/ingest/handler.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 100;
const MEMORY_EVENTS = 100_000;
const MEMORY_PART = 20_000;
const MIB = 1024 * 1024;
const KEY = composeBearerKey('benchbench01', 'B'.repeat(32));

/** CPU of accepting events, against parsing the same bytes; the stream acknowledges at once. */
export const ingest: Benchmark = {
  summary: 'CPU of the ingest handler for a 2 KB event against JSON.parse of the same bytes',

  async run() {
    const texts = recordedEvents(EVENTS);
    const single = texts.map((text) => requestOf('/api/v1/lineage', text));
    const batch = requestOf('/api/v1/lineage/batch', `[${texts.join()}]`);
    const bodies = texts.map((text) => Buffer.from(text));
    const parseAll = () => bodies.map((body) => JSON.parse(body.toString()));
    const handler = silentHandler();
    const rows = [];
    for (const [task, work] of Object.entries({
      single: async () => {
        for (const event of single) await handler(event, CONTEXT);
      },
      'batch of 100': () => handler(batch, CONTEXT),
    })) {
      const { taskMillis, ratio } = await compare(work, parseAll);
      const microsPerEvent = (taskMillis.median * 1_000) / EVENTS;
      rows.push({ task, microsPerEvent, eventsPerSecond: Math.round(1e6 / microsPerEvent), ratio });
    }
    return { rows, notes: [await memoryNote(handler, single)] };
  },
};

const CONTEXT = {} as Context;

function silentHandler() {
  const known = {
    keyHash: bearerKeyHash(KEY),
    registration: {
      producerId: 'bench',
      group: 'bench',
      scopes: ['ingest:lineage' as const],
      retentionClass: 'standard',
      disabled: false,
    },
  };
  const epochKey = { epoch: 0, secret: Buffer.alloc(32, 7) };
  return createHandler({
    publisher: { publish: async (records) => records.map(() => true) },
    registry: { findByKeyId: async () => known, findByRole: async () => undefined },
    authMode: 'bearer',
    epochKeys: { at: async () => epochKey, byEpoch: async () => epochKey },
    limiter: new RateLimiter({ lease: async () => true }),
    rejections: { count: async () => undefined, ofHour: async () => [] },
    metrics: { addMetric: () => undefined, publishStoredMetrics: () => undefined },
    maxRecordBytes: MIB,
    clock: Date.now,
    logger: { info: () => undefined, error: () => undefined } as unknown as Logger,
  });
}

function requestOf(resource: string, text: string): APIGatewayProxyEvent {
  return {
    httpMethod: 'POST',
    resource,
    path: resource,
    headers: {},
    multiValueHeaders: {
      Accept: ['*/*'],
      Authorization: [`Bearer ${KEY}`],
      'Content-Type': ['application/json'],
    },
    body: Buffer.from(text).toString('base64'),
    isBase64Encoded: true,
    requestContext: { requestId: 'bench' },
  } as unknown as APIGatewayProxyEvent;
}

/** What is still reachable after each part of many events: growth would be a leak. */
async function memoryNote(
  handler: ReturnType<typeof silentHandler>,
  requests: readonly APIGatewayProxyEvent[],
) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heapMib: string[] = [];
  for (let sent = 1; sent <= MEMORY_EVENTS; sent++) {
    await handler(requests[sent % requests.length] as APIGatewayProxyEvent, CONTEXT);
    if (sent % MEMORY_PART !== 0) continue;
    collectGarbage();
    heapMib.push((process.memoryUsage().heapUsed / MIB).toFixed(1));
  }
  return `heap in MiB after each ${MEMORY_PART} of ${MEMORY_EVENTS} events: ${heapMib.join(', ')}`;
}
