import { describe, expect, it } from 'vitest';
import { redactExpression } from '../../../../lambdas/domain/redaction/sql/expression.ts';

const redact = (text: string, dialect?: string) =>
  redactExpression(text, dialect ? { dialect } : {});

describe('an expression', () => {
  it.each([
    ['sum()', 'sum()'],
    ['identical', 'identical'],
    ['count(*)', 'count(*)'],
    ['a + b * 1.5', 'a + b * ?'],
    ["CASE WHEN a > 5 THEN 'x' ELSE b END", 'CASE WHEN a > ? THEN ? ELSE b END'],
    ["concat(first, ' ', last)", 'concat(first, ?, last)'],
    [
      'sum(x) OVER (PARTITION BY a ORDER BY b DESC)',
      'sum(x) OVER (PARTITION BY a ORDER BY b DESC)',
    ],
    ['hiv_positive = true', 'hiv_positive = ?'],
    ["a IN ('x', 2) AND b IS NOT NULL", 'a IN (?, ?) AND b IS NOT NULL'],
    ['(SELECT max(x) FROM t WHERE y = 5)', '(SELECT max(x) FROM t WHERE y = ?)'],
    ['CAST(a AS decimal(10, 2))', 'CAST(a AS decimal(?, ?))'],
    ['a::text', 'a::text'],
  ])('keeps names, functions and operators: %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it('reads Spark attributes and arrays when it knows the dialect', () => {
    expect(redact('CAST(a#12 AS STRING)', 'spark')).toBe('CAST(a#? AS STRING)');
    expect(redact("ARRAY['x', 'y']", 'postgres')).toBe('ARRAY[?, ?]');
  });

  it.each([
    ...[
      'Customer Jane Doe moved',
      'Jane or John',
      'not relevant',
      'Customer (Jane)',
      'Hello, Jane',
    ],
    ...['done.', 'Key: Jane', "it's Jane", 'jane@example.com', 'customer_4929123412341234', ''],
    ...[
      "upper('Jane",
      'SELECT Jane',
      'all customers',
      'a b',
      '(a',
      'a)',
      'a +',
      "'x\\' || Jane || 'y'",
    ],
    ...['‘Jane’', `a${' + a'.repeat(5_000)}`],
  ])('is not what this is: %s', (text) => {
    expect(redact(text)).toBeUndefined();
  });
});
