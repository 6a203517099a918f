import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { findOddities } from '../../../lambdas/domain/json/oddities.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { seeded } from '../../support/seeded.ts';

const odd = (text: string) => [...findOddities(new JsonDocument(text))].sort();
const manyKeys = (extra: string) =>
  `{${Array.from({ length: 30 }, (_, i) => `"k${i}":0,`).join('')}${extra}}`;

describe('findOddities', () => {
  it.each([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}'],
    ['["\\ud83d\\ude00","\\u00e9","a\\nb"]'],
    ['[0,-0,1.5,0.1,123456789012345,9007199254740992,0.30000000000000004,1e2,1.50e1,100e-2]'],
    [manyKeys('"k30":0')],
    ['{"value":"\\u0061","ab":"a","ba":"b"}'],
  ])('finds nothing in %.60s', (text) => {
    expect(odd(text)).toEqual([]);
  });

  it.each([
    ['duplicate_keys', '{"a":1,"a":1}'],
    ['duplicate_keys', '[{"x":{"b":1,"a":2,"b":3}}]'],
    ['duplicate_keys', manyKeys('"k7":0')],
    ['escaped_keys', '{"\\u0061":1}'],
    ['escaped_keys', '{"a\\"b":1}'],
    ['lone_surrogates', '["\\ud83d"]'],
    ['lone_surrogates', '["\\ude00\\ud83d"]'],
    ['non_finite_numbers', '[NaN]'],
    ['non_finite_numbers', '{"a":-Infinity}'],
    ['numbers_beyond_double', '[9007199254740993]'],
    ['numbers_beyond_double', '[-0.12345678901234567891]'],
    ['numbers_beyond_double', '[1e400]'],
    ['numbers_beyond_double', '[1E-400]'],
  ])('finds %s in %.60s', (oddity, text) => {
    expect(odd(text)).toEqual([oddity]);
  });

  it('finds the same name under two spellings', () => {
    expect(odd('{"a":1,"\\u0061":2}')).toEqual(['duplicate_keys', 'escaped_keys']);
  });

  it('agrees with JSON.parse on which keys are lost', () => {
    const keys = fc.array(fc.constantFrom('a', 'b', '\\u0061', 'é', '\\u00e9', 'k1', 'k2', 'k3'), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(keys, (spelled) => {
        const text = `{${spelled.map((key) => `"${key}":0`).join()}}`;
        const isLossy = Object.keys(JSON.parse(text)).length < spelled.length;
        expect(odd(text).includes('duplicate_keys')).toBe(isLossy);
      }),
      seeded(2_000),
    );
  });

  it('takes any number that JavaScript itself prints', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(odd(`[${value}]`)).toEqual([]);
      }),
      seeded(2_000),
    );
  });

  it.each([
    ['many keys', (n: number) => `{${Array.from({ length: n }, (_, i) => `"${i}":0`).join()}}`],
    [
      'long keys that begin alike',
      (n: number) =>
        `{${Array.from({ length: 12 }, (_, i) => `"${'k'.repeat(n * 20)}${i}":0`).join()}}`,
    ],
    [
      'escaped keys',
      (n: number) =>
        `{${Array.from({ length: 12 }, (_, i) => `"${'\\u0061'.repeat(n * 4)}${i}":0`).join()}}`,
    ],
    ['long numbers', (n: number) => `[1${'0'.repeat(n * 40)}.${'0'.repeat(n * 40)}]`],
  ])('takes time in proportion to %s', (_what, textOf) => {
    const growth = growthOverFourfold(4_000, (size) => {
      const document = new JsonDocument(textOf(size));
      return () => findOddities(document);
    });
    expect(growth).toBeLessThan(10);
  });
});
