import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesBucket,
  createEnvelope,
  type Envelope,
} from '../../../lambdas/domain/evidence/envelope.ts';
import {
  leafHash,
  MAX_INFLATED_BYTES,
  MAX_OBJECT_CHARACTERS,
  MAX_STORED_BYTES,
  packObjects,
  readEnvelopes,
  readLine,
  readLines,
  readMatching,
  readMatchingLines,
} from '../../../lambdas/domain/evidence/evidence-object.ts';
import {
  hoursBetween,
  INDEX_SHARDS,
  indexShardOf,
} from '../../../lambdas/domain/evidence/hour-shard.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';
import { head } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';

const envelope = (
  n: number,
  overrides: Parameters<typeof head>[0] = {},
  document = `{"n":${n}}`,
): Envelope =>
  createEnvelope({
    head: head({ receiptId: `r${n}`, ...overrides }),
    receivedBytes: 10,
    stream: { shardId: 'shard-1', sequenceNumber: String(n) },
    kind: 'run',
    redaction: { policy: 'p/1', mode: 'full', fields: [] },
    facts: {},
    deviations: [],
    document,
  });

describe('evidence objects', () => {
  it('have a key of class, hour, first position and content', () => {
    const [object] = packObjects('lineage', [envelope(7), envelope(8)]);
    const hash = sha256Hex(gunzipSync(object?.body as Uint8Array));
    expect(object?.key).toBe(
      `lineage/class=standard/dt=2026-03-04/hour=05/shard-1-7-${hash}.ndjson.gz`,
    );
    expect(object?.contentHash).toBe(hash);
  });

  it('are cut by class and acceptance hour, in the order of the stream', () => {
    const objects = [
      ...packObjects('traces', [
        envelope(1),
        envelope(2, { retentionClass: 'short' }),
        envelope(3, { acceptedAt: '2026-03-04T06:00:00.000Z' }),
        envelope(4),
      ]),
    ];
    const sequences = objects.map(({ envelopes }) =>
      envelopes.map(({ stream }) => stream.sequenceNumber),
    );
    expect(sequences).toEqual([['1', '4'], ['2'], ['3']]);
    expect(objects.map(({ key }) => key.split('/').slice(0, 4).join('/'))).toEqual([
      'traces/class=standard/dt=2026-03-04/hour=05',
      'traces/class=short/dt=2026-03-04/hour=05',
      'traces/class=standard/dt=2026-03-04/hour=06',
    ]);
  });

  it('end with the envelope that reaches the bound, under keys that the envelopes alone decide', () => {
    const third = 'x'.repeat(Math.ceil(MAX_OBJECT_CHARACTERS / 3));
    const envelopes = [1, 2, 3, 4, 5, 6, 7].map((n) => envelope(n < 5 ? 1 : n, {}, third));
    const objects = [...packObjects('traces', envelopes)];
    expect(objects.map((object) => object.envelopes.length)).toEqual([3, 3, 1]);
    expect(objects.flatMap((object) => object.envelopes)).toEqual(envelopes);
    expect(new Set(objects.map(({ key }) => key)).size).toBe(3);
    const replayed = [...packObjects('traces', envelopes.slice(3))];
    expect(replayed).toEqual(objects.slice(1));
  });

  it('know the leaf hash of each of their lines, as it is computed from what is read back', () => {
    for (const { body, leafHashes } of packObjects('lineage', [
      envelope(1),
      envelope(2, {}, 'é\n'),
    ])) {
      expect(leafHashes).toEqual(readEnvelopes(body).map(leafHash));
    }
  });

  it.each([
    ['no bytes at all', Buffer.alloc(0)],
    ['no gzip', Buffer.from('{}')],
    ['no line', gzipSync('')],
    ['a line that is no JSON', gzipSync('{"n":1}\ncanary\n')],
    ['more bytes than the archive writes', Buffer.alloc(MAX_STORED_BYTES + 1)],
  ])('are unreadable when they have %s', (_what, body) => {
    expect(() => readEnvelopes(body)).toThrow(
      expect.objectContaining({ code: 'object_unreadable' }),
    );
  });

  it('are inflated to what the archive may write and no further, whoever reads them', () => {
    const line = Buffer.from('{"n":1}');
    const firstLine = (body: Uint8Array) => readLines(body).next();
    const padded = (bytes: number) =>
      gzipSync(Buffer.concat([line, Buffer.alloc(bytes - line.length, ' ')]), { level: 1 });
    expect(readLine(padded(MAX_INFLATED_BYTES), 0)).toEqual({ n: 1 });
    const bomb = padded(MAX_INFLATED_BYTES + 1);
    for (const read of [readEnvelopes, firstLine, (body: Uint8Array) => readLine(body, 0)]) {
      expect(() => read(bomb)).toThrow(
        expect.objectContaining({ name: 'UnreadableRecordError', code: 'object_unreadable' }),
      );
    }
    for (const read of [readMatching, readMatchingLines]) {
      expect(read(`x-${sha256Hex(gunzipSync(bomb))}.ndjson.gz`, bomb)).toBeUndefined();
    }
  });

  it('are the same for every replay of the same records', () => {
    const again = () => [...packObjects('lineage', [envelope(1), envelope(2)])];
    expect(again()).toEqual(again());
  });

  it('have another key when any byte of a line differs', () => {
    const keyOf = (document: string) =>
      [...packObjects('lineage', [envelope(1, {}, document)])].map(({ key }) => key);
    expect(keyOf('{"n":1}')).not.toEqual(keyOf('{"n":1 }'));
  });

  it('give every document back to the byte, one line each', () => {
    const documents = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(documents, (texts) => {
        const [object] = packObjects(
          'lineage',
          texts.map((text, n) => envelope(n, {}, `${text}\n\u2028`)),
        );
        const body = object?.body as Uint8Array;
        texts.forEach((text, line) => {
          expect(readLine(body, line)).toEqual(envelope(line, {}, `${text}\n\u2028`));
        });
        expect(() => readLine(body, texts.length)).toThrow(
          expect.objectContaining({ code: 'line_missing' }),
        );
      }),
      seeded(100),
    );
  });
});

describe('bytesBucket', () => {
  it('is the next power of two, and never tells short values apart', () => {
    fc.assert(
      fc.property(fc.nat(8_000_000), (bytes) => {
        const bucket = bytesBucket(bytes);
        expect(Math.log2(bucket) % 1).toBe(0);
        expect(bucket).toBeGreaterThanOrEqual(Math.max(bytes, 16));
        expect(bucket === 16 || bucket < 2 * bytes).toBe(true);
      }),
      seeded(200),
    );
  });
});

describe('hours and shards', () => {
  it.each([
    ['2026-03-04T05:00:00Z', '2026-03-04T06:00:00Z', ['2026-03-04T05']],
    ['2026-03-04T05:59:59.999Z', '2026-03-04T06:00:00.001Z', ['2026-03-04T05', '2026-03-04T06']],
    ['2026-03-04T23:30:00Z', '2026-03-05T00:30:00Z', ['2026-03-04T23', '2026-03-05T00']],
    ['2026-03-04T05:00:00Z', '2026-03-04T05:00:00Z', []],
  ])('from %s to %s are %j', (from, to, hours) => {
    expect(hoursBetween(Date.parse(from), Date.parse(to))).toEqual(hours);
  });

  it('spread receipts over every shard and never beyond', () => {
    const shards = new Set(Array.from({ length: 500 }, (_, n) => indexShardOf(`receipt-${n}`)));
    expect([...shards].sort()).toEqual(Array.from({ length: INDEX_SHARDS }, (_, n) => n));
  });
});
