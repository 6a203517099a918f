import type { ConsumedRecord } from '../lambdas/domain/evidence/consumed-record.ts';
import { packObjects } from '../lambdas/domain/evidence/evidence-object.ts';
import { floorOfBatch, prepareBatch, toRecord } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 100;
const BATCH_SIZES = [1, 100];

/** CPU of turning stream records into gzipped objects, against the least that any archive has to do. */
export const archive: Benchmark = {
  summary: 'CPU of archiving a 2 KB event against JSON.parse + SHA-256 + gzip',

  async run() {
    const bodies = recordedEvents(EVENTS).map((text) => Buffer.from(text));
    const records = bodies.map(toRecord);
    const rows = [];
    for (const batchSize of BATCH_SIZES) {
      const batches = cut(records, batchSize);
      const floors = cut(bodies, batchSize);
      const { taskMillis, floorMillis, ratio } = await compare(
        () => batches.map(archiveBatch),
        () => floors.map(floorOfBatch),
      );
      rows.push({
        batchSize,
        archiveMicrosPerEvent: perEvent(taskMillis.median),
        floorMicrosPerEvent: perEvent(floorMillis.median),
        ratio,
      });
    }
    const bytes = Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / EVENTS);
    return {
      rows,
      notes: [
        `events of ${bytes} bytes on average, as openlineage-python sent them`,
        'archive: gunzip and decode the stream record, scan, redact, envelope, pack, hash, gzip; no network, no index rows',
        'floor: JSON.parse and SHA-256 of each event, one gzip of the batch, at the default level',
      ],
    };
  },
};

function archiveBatch(batch: readonly ConsumedRecord[]) {
  return [...packObjects('lineage', prepareBatch(batch))];
}

function cut<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function perEvent(millis: number): number {
  return (millis * 1_000) / EVENTS;
}
