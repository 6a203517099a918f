import type { ConsumedRecord } from '../lambdas/domain/evidence/consumed-record.ts';
import { packObjects } from '../lambdas/domain/evidence/evidence-object.ts';
import { floorOfBatch, prepareBatch, toRecord } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { distinctEvents, recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 100;
/** More than what the redactor remembers of names and texts. */
const DISTINCT_EVENTS = 6_000;
const BATCH_SIZES = [1, 100];

/** CPU of turning stream records into gzipped objects, against the least that any archive has to do. */
export const archive: Benchmark = {
  summary: 'CPU of archiving a 2 KB event against JSON.parse + SHA-256 + gzip',

  async run() {
    const rows = [];
    for (const [events, texts] of Object.entries({
      alike: recordedEvents(EVENTS),
      distinct: distinctEvents(DISTINCT_EVENTS),
    })) {
      const bodies = texts.map((text) => Buffer.from(text));
      const records = cut(bodies.map(toRecord), EVENTS);
      for (const batchSize of BATCH_SIZES) {
        const { taskMillis, floorMillis, ratio } = await compare(
          inTurns(records, (some) => cut(some, batchSize).map(archiveBatch)),
          inTurns(cut(bodies, EVENTS), (some) => cut(some, batchSize).map(floorOfBatch)),
        );
        rows.push({
          ...{ events, batchSize },
          archiveMicrosPerEvent: perEvent(taskMillis.median),
          floorMicrosPerEvent: perEvent(floorMillis.median),
          ratio,
        });
      }
    }
    return {
      rows,
      notes: [
        'events of 2.0 KB on average, as openlineage-python sent them',
        `alike: ${EVENTS} of them again and again, which differ in ids only and compress to a tenth; distinct: ${DISTINCT_EVENTS} of which no two runs share a statement, a table or a trace`,
        'archive: gunzip and decode the stream record, scan, redact, envelope, pack, hash, gzip; no network, no index rows',
        'floor: JSON.parse and SHA-256 of each event, one gzip of the batch, at the default level',
      ],
    };
  },
};

function archiveBatch(batch: readonly ConsumedRecord[]) {
  return [...packObjects('lineage', prepareBatch(batch))];
}

/** Works on the first part, at the next call on the second, and after the last on the first again. */
function inTurns<T>(parts: readonly T[], work: (part: T) => unknown): () => unknown {
  let calls = 0;
  return () => work(parts[calls++ % parts.length] as T);
}

function cut<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function perEvent(millis: number): number {
  return (millis * 1_000) / EVENTS;
}
