import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyedHash } from '../../../lambdas/domain/evidence/keyed-hash.ts';
import {
  issueReceipt,
  openReceipt,
  receiptEpoch,
} from '../../../lambdas/domain/evidence/receipt.ts';
import { storeKey } from '../../../lambdas/domain/store-key.ts';
import { deliveryId, EPOCH_KEY, NOW } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';

const anyUnits = fc
  .array(fc.oneof(fc.constantFrom(0xd800, 0xd801, 0xdc00, 0xfffd, 0, 0x2f, 0x61), fc.nat(0xffff)), {
    maxLength: 6,
  })
  .map((units) => String.fromCharCode(...units));

describe('storeKey', () => {
  it('meets in one key for equal lists of parts only', () => {
    const parts = fc.array(anyUnits, { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(storeKey(...a) === storeKey(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      seeded(1_000),
    );
  });

  it('tells apart where one part ends and the next begins', () => {
    const cuts = fc
      .tuple(anyUnits, fc.nat(6), fc.nat(6))
      .filter(([text, i, j]) => Math.min(i, text.length) !== Math.min(j, text.length));
    fc.assert(
      fc.property(cuts, ([text, i, j]) => {
        expect(storeKey(text.slice(0, i), text.slice(i))).not.toBe(
          storeKey(text.slice(0, j), text.slice(j)),
        );
      }),
      seeded(300),
    );
  });

  it.each([
    [[], ['']],
    [
      ['a', ''],
      ['', 'a'],
    ],
    [['trino://h:1337'], ['trino://h', '1337']],
    [['\ud800'], ['\ud801']],
    [['\ud800'], ['\ufffd']],
    [['é'], ['e\u0301']],
  ])('keeps %j and %j apart', (a, b) => {
    expect(storeKey(...a)).not.toBe(storeKey(...b));
  });

  it('fits a partition key whatever its parts', () => {
    expect(storeKey('x'.repeat(10_000), '')).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('receipts', () => {
  const receipt = issueReceipt(EPOCH_KEY, deliveryId(NOW, 1));
  const otherKey = { epoch: 0, secret: Buffer.alloc(32, 8) };

  it('prove when they were issued', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.nat(), (millis, n) => {
        const issued = issueReceipt(EPOCH_KEY, deliveryId(millis, n));
        expect(openReceipt(EPOCH_KEY, issued)).toEqual({ epoch: 0, acceptedAtMillis: millis });
      }),
      seeded(100),
    );
  });

  it('are refused when one character is another', () => {
    fc.assert(
      fc.property(
        fc.nat(receipt.length - 1),
        fc.constantFrom(...'0123456789abcdef_rA'),
        (at, c) => {
          fc.pre(receipt[at] !== c);
          expect(
            openReceipt(EPOCH_KEY, receipt.slice(0, at) + c + receipt.slice(at + 1)),
          ).toBeUndefined();
        },
      ),
      seeded(600),
    );
  });

  it.each([
    ['truncated', receipt.slice(0, -1)],
    ['longer', `${receipt}0`],
    ['in capitals', receipt.toUpperCase()],
    ['with its epoch spelled otherwise', receipt.replace('r0_', 'r00_')],
    ['followed by a line break', `${receipt}\n`],
    ['without a tag', receipt.slice(0, receipt.lastIndexOf('_') + 1)],
    ['made by nobody', ''],
  ])('are refused when %s', (_how, text) => {
    expect(openReceipt(EPOCH_KEY, text)).toBeUndefined();
  });

  it('are refused by the key of another epoch and by another key of the same epoch', () => {
    expect(openReceipt({ ...EPOCH_KEY, epoch: 1 }, receipt)).toBeUndefined();
    expect(openReceipt(otherKey, receipt)).toBeUndefined();
  });

  it('name their epoch before any key is asked', () => {
    expect(receiptEpoch(issueReceipt({ ...EPOCH_KEY, epoch: 12 }, deliveryId(NOW, 1)))).toBe(12);
  });

  it('are nothing that a random text could be', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(openReceipt(EPOCH_KEY, text)).toBeUndefined();
        expect(receiptEpoch(text)).toBeUndefined();
      }),
      seeded(200),
    );
  });
});

describe('keyedHash', () => {
  it('differs by key and by purpose', () => {
    const hashes = [
      keyedHash(EPOCH_KEY, 'received/1', 'x'),
      keyedHash(EPOCH_KEY, 'receipt/1', 'x'),
      keyedHash({ epoch: 0, secret: Buffer.alloc(32, 8) }, 'received/1', 'x'),
    ];
    expect(new Set(hashes).size).toBe(3);
  });
});
