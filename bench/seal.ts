import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { packObjects } from '../lambdas/domain/evidence/evidence-object.ts';
import type { VersionStreams } from '../lambdas/domain/integrity/ports.ts';
import { readObject } from '../lambdas/domain/integrity/seal-object.ts';
import { prepareBatch, toRecord } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 2_000;
const BATCH_SIZES = [1, 100, 1_000];
const MEGABYTE = 1_000_000;

/** CPU of sealing stored records, against the least that a seal has to do with their bytes. */
export const seal: Benchmark = {
  summary: 'CPU of sealing stored records against SHA-256 + gunzip of the same bytes',

  async run() {
    const records = recordedEvents(EVENTS).map((text, n) => toRecord(Buffer.from(text), n));
    const rows = [];
    for (const batchSize of BATCH_SIZES) {
      const objects = Array.from({ length: Math.ceil(EVENTS / batchSize) }, (_, n) => [
        ...packObjects('lineage', prepareBatch(records.slice(n * batchSize, (n + 1) * batchSize))),
      ]).flat();
      const lineBytes = sum(objects.map(({ body }) => gunzipSync(body).length));
      const streams: VersionStreams = {
        open: async ({ key }) => ({ metadata: {}, body: pieces(bodies.get(key) as Uint8Array) }),
      };
      const bodies = new Map(objects.map(({ key, body }) => [key, body]));
      const listed = objects.map(({ key, body }) => ({
        ...{ bucket: 'vault', key, versionId: 'v', deleteMarker: false, bytes: body.length },
        lastModified: '2026-03-04T05:00:00.000Z',
      }));
      const { taskMillis, floorMillis, ratio } = await compare(
        async () => {
          for (const version of listed) await readObject(version, streams);
        },
        () => {
          for (const { body } of objects) {
            createHash('sha256').update(body).digest();
            createHash('sha256').update(gunzipSync(body)).digest();
          }
        },
      );
      const perSecond = (millis: number) => (lineBytes / MEGABYTE / millis) * 1_000;
      rows.push({
        recordsPerObject: batchSize,
        sealMegabytesPerSecond: perSecond(taskMillis.median),
        floorMegabytesPerSecond: perSecond(floorMillis.median),
        ratio,
      });
    }
    return {
      rows,
      notes: [
        'megabytes are those of the uncompressed lines',
        'seal: hash of the stored bytes, gunzip, leaf hash and head of each line; no network, no signature',
        'floor: SHA-256 of the stored bytes, gunzip, one SHA-256 of the lines',
      ],
    };
  },
};

/** As a socket hands them over. */
async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
