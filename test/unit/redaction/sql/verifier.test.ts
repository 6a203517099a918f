import { describe, expect, it } from 'vitest';
import { isClean } from '../../../../lambdas/domain/redaction/sql/verifier.ts';

describe('the second opinion', () => {
  it.each([
    ...[
      "SELECT 'a",
      'SELECT 1',
      'SELECT a1 FROM t WHERE b = 7',
      'SELECT $123456',
      'SELECT a -- b',
      'SELECT /* a',
    ],
    ...[
      'a */',
      '$$ a $$',
      '{{ a }}',
      '{% a %}',
      'SELECT "a',
      'SELECT "a;b"',
      'SELECT `a',
      'SELECT \\x',
      'a ‘b’',
    ],
    ...[
      'SELECT [1,2]',
      'SELECT [123]',
      'SELECT t123456789',
      `SELECT ${'a'.repeat(129)}`,
      'SELECT "t123456789"',
      'a\0b',
    ],
  ])('refuses %j', (text) => {
    expect(isClean(text)).toBe(false);
  });

  it.each([
    ...[
      'SELECT a1, "B c" FROM `d-1`.[E f] WHERE g = ? AND h = $12',
      'SELECT ?- -?',
      'COPY t FROM stdin;\n?\n\\.',
    ],
    ...['SELECT a->>? FROM t WHERE b ? ?', 'SELECT größe FROM #t', 'a[?]', ''],
  ])('lets %j pass', (text) => {
    expect(isClean(text)).toBe(true);
  });
});
