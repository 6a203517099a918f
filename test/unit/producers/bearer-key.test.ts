import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bearerKeyHash,
  composeBearerKey,
  matchesKeyHash,
  readBearerKey,
} from '../../../lambdas/domain/producers/bearer-key.ts';
import { KEY, KEY_ID } from '../../support/http.ts';
import { seeded } from '../../support/seeded.ts';

const letters = (alphabet: string, minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength, maxLength }).map((found) => found.join(''));
const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const id = letters(LOWER, 12, 12);
const secret = letters(`${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 32, 64);

describe('bearer keys', () => {
  it('are read back with their id', () => {
    fc.assert(
      fc.property(id, secret, (keyId, keySecret) => {
        const key = composeBearerKey(keyId, keySecret);
        expect(readBearerKey(key)).toEqual({ id: keyId, presented: key });
      }),
      seeded(200),
    );
  });

  it('are refused with any one character changed, left out or doubled', () => {
    const change = fc.tuple(
      fc.nat(KEY.length - 1),
      fc.constantFrom('replace', 'remove', 'double'),
      fc.constantFrom(...`${LOWER}ABXYZ_`),
    );
    fc.assert(
      fc.property(change, ([at, how, letter]) => {
        const insert = { replace: letter, remove: '', double: `${KEY[at]}${KEY[at]}` }[
          how
        ] as string;
        const mistyped = KEY.slice(0, at) + insert + KEY.slice(at + 1);
        fc.pre(mistyped !== KEY);
        expect(readBearerKey(mistyped)).toBeUndefined();
      }),
      seeded(1_000),
    );
  });

  it('are refused with every character replaced by every other (exhaustive over the body)', () => {
    for (let at = 3; at < KEY.length; at++) {
      for (const letter of '0123456789abcdefxyzXYZ') {
        if (KEY[at] === letter) continue;
        expect(readBearerKey(KEY.slice(0, at) + letter + KEY.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it.each([
    ['', 'nothing'],
    ['ev_', 'a prefix'],
    [KEY.toUpperCase(), 'capitals'],
    [` ${KEY}`, 'a space before'],
    [`${KEY}\n`, 'a line break behind'],
    [`${KEY}${KEY}`, 'two keys'],
    [composeBearerKey(KEY_ID, 'short'), 'a short secret and a right checksum'],
    [composeBearerKey('ABCDEFGHIJKL', 'S'.repeat(32)), 'an id in capitals and a right checksum'],
    [composeBearerKey(KEY_ID, `${'S'.repeat(31)}-`), 'another alphabet and a right checksum'],
  ])('are refused when %j is presented (%s)', (presented) => {
    expect(readBearerKey(presented)).toBeUndefined();
  });

  it('match their own hash and no other', () => {
    const other = composeBearerKey(KEY_ID, 'T'.repeat(32));
    expect(matchesKeyHash(KEY, bearerKeyHash(KEY))).toBe(true);
    expect(matchesKeyHash(KEY, bearerKeyHash(other))).toBe(false);
    expect(matchesKeyHash(KEY, '')).toBe(false);
    expect(matchesKeyHash(KEY, bearerKeyHash(KEY).slice(0, -1))).toBe(false);
  });
});
