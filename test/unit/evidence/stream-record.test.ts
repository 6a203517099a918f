import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableRecordError } from '../../../lambdas/domain/errors.ts';
import {
  decodeHead,
  decodeStreamRecord,
  encodeStreamRecord,
} from '../../../lambdas/domain/evidence/stream-record.ts';
import { head } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';

const encoded = (overrides: Record<string, unknown>, body: Uint8Array = Buffer.from('{}')) =>
  Buffer.concat([
    Buffer.from(
      `${JSON.stringify({ record: 1, ...head(), encoding: 'identity', ...overrides })}\n`,
    ),
    body,
  ]);

const codeOf = (bytes: Uint8Array) => {
  try {
    decodeStreamRecord(bytes);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return error.code;
    throw error;
  }
  return 'readable';
};

/** Heads that a stranger with PutRecord might write to steer what archive does. */
const HOSTILE: Record<string, Record<string, unknown>> = {
  'a class that is a path': { retentionClass: '../../findings' },
  'a class with a line break': { retentionClass: 'a\nb' },
  'an empty class': { retentionClass: '' },
  'a time with a comment': { acceptedAt: '2026-01-01T00:00:00.000Z (hidden text)' },
  'a time beyond every lock': { acceptedAt: '+275760-09-12T00:00:00.000Z' },
  'a time that is a day only': { acceptedAt: '2026-01-01' },
  'a time that is none': { acceptedAt: '2026-13-01T00:00:00.000Z' },
  'a receipt longer than an index row': { receiptId: 'r'.repeat(500_000) },
  'no receipt': { receiptId: '' },
  'a receipt that is a number': { receiptId: 7 },
  'a submitter that is null': { submitter: null },
  'a submitter without a group': { submitter: { producerId: 'p' } },
  'a group longer than an index row': {
    submitter: { producerId: 'p', group: 'g'.repeat(500_000) },
  },
  'deviations that are objects': { deviations: [{ text: 'x' }] },
  'deviations without end': { deviations: Array(10_000).fill('x') },
  'an epoch that is none': { received: { epoch: 1.5, hmac: 'x' } },
  'no hash': { received: { epoch: 0 } },
  'a basis that is a text': { registeredBasis: 'x' },
  'a basis that is null': { registeredBasis: null },
  'half a basis': { registeredBasis: { derivation: 'x' } },
  'a basis longer than an index row': {
    registeredBasis: { derivation: 'x', completeness: 'x'.repeat(500_000) },
  },
  'another version': { record: 2 },
  'another encoding': { encoding: 'br' },
};

describe('stream records', () => {
  it('come back as they were framed', () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(3_000).map((n) => new Uint8Array(n)),
    );
    fc.assert(
      fc.property(
        body,
        fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
        (bytes, producerId) => {
          const record = {
            head: head({
              submitter: { producerId, group: 'g' },
              ...(bytes.length % 2 === 0 && {
                registeredBasis: { derivation: producerId, completeness: 'c' },
              }),
            }),
            body: Buffer.from(bytes),
          };
          const back = decodeStreamRecord(encodeStreamRecord(record));
          expect(back.head).toEqual(record.head);
          expect(Buffer.from(back.body).equals(record.body)).toBe(true);
        },
      ),
      seeded(200),
    );
  });

  it('are gzipped only where that is smaller', () => {
    expect(encodeStreamRecord({ head: head(), body: Buffer.alloc(10_000) }).length).toBeLessThan(
      1_000,
    );
    expect(encodeStreamRecord({ head: head(), body: Buffer.from('{}') }).toString()).toMatch(
      /\n\{\}$/,
    );
  });

  it.each(Object.entries(HOSTILE))('have no readable head with %s', (_what, overrides) => {
    expect(codeOf(encoded(overrides))).toBe('head_unreadable');
    expect(decodeHead(encoded(overrides))).toBeUndefined();
  });

  it('take nothing from a head but what belongs there', () => {
    expect(decodeHead(encoded({ smuggled: 'x', __proto__: { polluted: true } }))).toEqual(head());
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'head_missing'],
    ['no line break', Buffer.from(JSON.stringify(head())), 'head_missing'],
    ['null', Buffer.from('null\n{}'), 'head_unreadable'],
    ['no JSON', Buffer.from('hello\n{}'), 'head_unreadable'],
    ['bytes', Buffer.from([0xff, 0x0a, 0xfe]), 'head_unreadable'],
    ['a body that is no gzip', encoded({ encoding: 'gzip' }), 'body_unreadable'],
    [
      'a body cut off',
      encoded({ encoding: 'gzip' }, gzipSync('x'.repeat(99)).subarray(0, 15)),
      'body_unreadable',
    ],
  ])('are unreadable when they hold %s', (_what, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });

  it('stop inflating a body that ingest cannot have accepted', () => {
    const bomb = gzipSync(Buffer.alloc(9 * 1024 * 1024));
    expect(codeOf(encoded({ encoding: 'gzip' }, bomb))).toBe('body_unreadable');
  });

  it('still give their head when the body is broken', () => {
    expect(decodeHead(encoded({ encoding: 'gzip' }))).toEqual(head());
  });

  it('never throw anything but our own error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(['readable', 'head_missing', 'head_unreadable', 'body_unreadable']).toContain(
          codeOf(bytes),
        );
      }),
      seeded(200),
    );
  });
});
