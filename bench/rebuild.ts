import { gunzipSync } from 'node:zlib';
import { packObjects } from '../lambdas/domain/evidence/evidence-object.ts';
import type { ListedVersion } from '../lambdas/domain/evidence/ports.ts';
import type { RunIndex } from '../lambdas/domain/evidence/run-index.ts';
import {
  type RebuildDependencies,
  rebuildPartition,
} from '../lambdas/domain/rebuild/rebuild-partition.ts';
import { environments } from '../lib/config/environments.ts';
import { retentionSetting } from '../lib/config/retention-setting.ts';
import { prepareBatch, toRecord } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 2_000;
/** As many events as a busy shard brings within a window of archive. */
const EVENTS_PER_OBJECT = 200;
const PARTITION = {
  kind: 'lineage',
  prefix: 'lineage/class=standard/dt=2026-11-29/hour=10/',
} as const;
const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2030-01-01T00:00:00.000Z',
  clamped: false,
} as const;

/** CPU of rebuilding an hour over ports in memory, against the least that any rebuild has to do. */
export const rebuild: Benchmark = {
  summary: 'CPU of rebuilding index rows from stored events against gunzip + JSON.parse',

  async run() {
    const records = recordedEvents(EVENTS).map((text, i) => toRecord(Buffer.from(text), i));
    const objects = Array.from({ length: EVENTS / EVENTS_PER_OBJECT }, (_, i) =>
      prepareBatch(records.slice(i * EVENTS_PER_OBJECT, (i + 1) * EVENTS_PER_OBJECT)),
    ).flatMap((envelopes) => [...packObjects('lineage', envelopes)]);
    let rows = 0;
    const dependencies = inMemory(objects, () => rows++);
    await rebuildPartition(PARTITION, dependencies);
    const rowsPerEvent = rows / EVENTS;
    const { taskMillis, floorMillis, ratio } = await compare(
      () => rebuildPartition(PARTITION, dependencies),
      () => objects.map(({ body }) => parseObject(body)),
    );
    return {
      rows: [
        {
          eventsPerCoreSecond: Math.round((EVENTS * 1_000) / taskMillis.median),
          rebuildMicrosPerEvent: (taskMillis.median * 1_000) / EVENTS,
          floorMicrosPerEvent: (floorMillis.median * 1_000) / EVENTS,
          ratio,
          rowsPerEvent,
        },
      ],
      notes: [
        `${EVENTS} events of about 2 KB in objects of ${EVENTS_PER_OBJECT}; the target is 20,000 events for each second of processor time, garbage collection included`,
        'rebuild: gunzip, check against the key, hash and parse the lines, read the documents, make the rows; the tables take them in memory',
        'floor: gunzip and JSON.parse of each line and of the document in it',
      ],
    };
  },
};

function parseObject(body: Uint8Array) {
  const lines = gunzipSync(body).toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(JSON.parse(line).document));
}

function inMemory(
  objects: ReadonlyArray<{ readonly key: string; readonly body: Uint8Array }>,
  onRow: () => void,
): RebuildDependencies {
  const listed = objects.map(({ key, body }, i): ListedVersion => {
    const lastModified = new Date(i * 1_000).toISOString();
    const version = { bucket: 'vault', key, versionId: 'v', lastModified };
    return { ...version, bytes: body.length, deleteMarker: false };
  });
  const bodies = new Map(objects.map(({ key, body }) => [key, body]));
  const put = async () => onRow();
  return {
    index: {
      ...{ putDelivery: put, putRunEvent: put, putRunDataset: put, putReference: put },
      ...{ putDeclaration: put, putTraceRun: put, traceDeliveries: async () => [] },
      claimEvent: async (claim) => {
        onRow();
        return claim;
      },
    } satisfies Partial<RunIndex> as unknown as RunIndex,
    inspector: {
      async *list() {
        yield* listed;
      },
      folders: async () => [],
    },
    objects: {
      readLocked: async ({ key }) => ({ body: bodies.get(key) as Uint8Array, lock: LOCK }),
    },
    vaultBucket: 'vault',
    stagingBucket: 'staging',
    ...environments.local.join,
    retention: retentionSetting(environments.local),
    clock: Date.now,
    // Nothing of lineage alone is written or read there.
    vault: undefined as never,
    reader: undefined as never,
  };
}
