import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DirectoryStore } from '../bin/evidence/verify-directory.ts';
import { type EvidenceObject, packObjects } from '../lambdas/domain/evidence/evidence-object.ts';
import { verify as verifyStore } from '../lambdas/domain/integrity/verify.ts';
import { SealedBundle } from '../test/support/sealed-bundle.ts';
import { prepareBatch, toRecord } from './archive-input.ts';
import type { Benchmark } from './benchmark.ts';
import { recordedEvents } from './events.ts';
import { compare } from './rounds.ts';

const EVENTS = 4_000;
const RECORDS_IN_AN_OBJECT = [10, 100];
/** Within the locks of the bundle. */
const NOW_MILLIS = Date.parse('2026-11-30T00:00:00Z');
const MEGABYTE = 1_000_000;

/** Verifying a copy of a vault, against hashing and inflating the same objects. */
export const verify: Benchmark = {
  summary: 'verifying stored records against SHA-256 + gunzip of the same objects',

  async run() {
    const records = recordedEvents(EVENTS).map((text, index) => toRecord(Buffer.from(text), index));
    const rows = [];
    for (const size of RECORDS_IN_AN_OBJECT) {
      const bundle = new SealedBundle();
      try {
        const objects: EvidenceObject[] = [];
        for (let at = 0; at < records.length; at += size) {
          objects.push(...packObjects('lineage', prepareBatch(records.slice(at, at + size))));
        }
        bundle.seal(objects);
        const lineBytes = objects.reduce((sum, { body }) => sum + gunzipSync(body).length, 0);
        const store = DirectoryStore.open(bundle.folder);
        const { taskMillis, floorMillis, ratio } = await compare(
          () => verifyStore(store, { report, nowMillis: NOW_MILLIS }),
          () => objects.map(({ body }) => floorOf(body)),
        );
        rows.push({
          recordsInAnObject: size,
          megabytesPerSecond: lineBytes / MEGABYTE / (taskMillis.median / 1_000),
          floorMegabytesPerSecond: lineBytes / MEGABYTE / (floorMillis.median / 1_000),
          ratio,
        });
      } finally {
        bundle.remove();
      }
    }
    return {
      rows,
      notes: [
        `${EVENTS} records; megabytes are those of the lines, before compression`,
        'verify: a copy on disk, from the list of files to the signature; hash, inflate, hash each line, compare with leaves and root',
        'a second is one of the processor, all threads counted: what a core does',
        'floor: SHA-256 of each object and gunzip of it, in memory',
      ],
    };
  },
};

function floorOf(body: Uint8Array) {
  createHash('sha256').update(body).digest();
  return gunzipSync(body);
}

function report({ kind, key }: { readonly kind: string; readonly key: string }): never {
  throw new Error(`${kind}: ${key}`);
}
