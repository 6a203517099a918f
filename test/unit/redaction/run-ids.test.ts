import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isDataNameInPath } from '../../../lambdas/domain/redaction/identifier.ts';

/** One in some 2,500 has a group of digits alone that adds up as a number of a card or a person does. */
it('takes no UUID for data: lineage is joined on it', () => {
  const digits = ['550e8400-e29b-41d4-a716-446655440000', '00000000-0000-4000-8000-411111111111'];
  const random = Array.from({ length: 20_000 }, () => randomUUID());
  expect([...digits, ...random].filter(isDataNameInPath)).toEqual([]);
});

it('takes a number that a name groups for data', () => {
  expect(isDataNameInPath('t_4111_1111_1111_1111')).toBe(true);
});
