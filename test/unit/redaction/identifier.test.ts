import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isDataName,
  isDataNameInPath,
  pseudonym,
} from '../../../lambdas/domain/redaction/identifier.ts';
import { seeded } from '../../support/seeded.ts';

const hash = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest();

describe('identifiers', () => {
  it.each([
    'jane@example.com',
    'https://h',
    'a/b',
    'Order 66',
    'x_123456789',
    '4111-1111-1111-1111',
    'tmp_123e4567-e89b-12d3-a456-426614174000',
    'jane＠example.com',
    'AB123456C',
    't_4111_1111_1111_1111',
    'password=hunter2',
    'a;b',
    'x'.repeat(129),
  ])('%s is data', (identifier) => expect(isDataName(identifier)).toBe(true));

  it.each([
    'orders',
    'events_20240131',
    'events_2024_01_01_00',
    'sales 2024',
    '2024 sales by region',
    'Order Lines',
    'db.schema.t_v2',
    'größe',
    'a-1',
    'c1_2_3',
    'x'.repeat(128),
  ])('%s is a name', (identifier) => expect(isDataName(identifier)).toBe(false));

  it.each([
    's3/a/b@2024',
    'dt=2024-01-01/part-0',
    'topic:p:t',
    'db.schema.orders',
    'b/t_2024_01_01_00',
  ])('%s may be joined on', (name) => expect(isDataNameInPath(name)).toBe(false));

  it.each([
    '/users/jane@example.com/nb',
    'select a from t where b = 1',
    'cards/4111111111111111',
    'b/t_4111_1111_1111_1111',
  ])('%s may not', (name) => expect(isDataNameInPath(name)).toBe(true));

  it('gives one name to one identifier under one key, and takes it for no data again', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const name = pseudonym(one, hash('k'));
        expect(name).toMatch(/^id_[a-p]{16}$/);
        expect(pseudonym(one, hash('k'))).toBe(name);
        expect(pseudonym(one, hash('l'))).not.toBe(name);
        if (one !== other) expect(pseudonym(other, hash('k'))).not.toBe(name);
        expect(isDataName(name) || isDataNameInPath(name)).toBe(false);
      }),
      seeded(500),
    );
  });
});
