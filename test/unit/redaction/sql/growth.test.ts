import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';
import { FEW_RUNS, growthOver } from '../../../support/growth.ts';

const CHARACTERS = 20_000;
/** Linear is 4, quadratic 16. */
const MOST_GROWTH = 9;
const DIALECTS = [undefined, 'postgres', 'mysql', 'tsql', 'snowflake', 'bigquery', 'oracle'];

/** Repeated behind a SELECT, or as they are when they begin a statement. */
const PIECES = [
  ...[
    '/*',
    '$t$',
    '[',
    '[ ',
    "'",
    '"',
    '"a" ',
    '{{',
    "'{{ x }}",
    '(',
    ')',
    '--a\n',
    '# a\n',
    '/*a*/',
  ],
  ...[
    "'\\'",
    'a.',
    'a@b ',
    'a-',
    '@',
    ';',
    '1',
    '1.',
    'aaaaaaaa-',
    "''' ",
    "q'[",
    '漢',
    '😀',
    '\r--',
  ],
  ...[
    'COPY t FROM stdin;\n',
    'SET a b;',
    'GRANT identified ',
    'a IN (',
    'VALUES (?),',
    'limit ',
    'case ',
  ],
  ...[
    `${'/*'.repeat(64)}${'*/'.repeat(64)}`,
    '/*traceparent=*/',
    "E'\\",
    '/*!1 ',
    '*/*',
    'a://',
    '`',
    '``',
  ],
];

describe('redaction of SQL', () => {
  it.each(PIECES)('takes linear time for many of %j', (piece) => {
    const [growth = Number.POSITIVE_INFINITY] = growthOver(
      CHARACTERS,
      [4],
      (size) => {
        const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
        const sql = /^[A-Z]{3} |^COPY|^GRANT/.test(text) ? text : `SELECT ${text}`;
        return () => {
          for (const dialect of DIALECTS) {
            redactSql(sql, { ...(dialect ? { dialect } : {}), pseudonym: () => 'id_0' });
          }
        };
      },
      FEW_RUNS,
    );
    expect(growth).toBeLessThan(MOST_GROWTH);
  });
});
