import { describe, expect, it } from 'vitest';
import { redactExpression } from '../../../../lambdas/domain/redaction/sql/expression.ts';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';
import { isClean } from '../../../../lambdas/domain/redaction/sql/verifier.ts';
import { seeded } from '../../../support/seeded.ts';
import { Dice } from './statement-generator.ts';

const CASES = 30_000;
const LONGEST = 14;
const { seed } = seeded(1);

const DIALECTS = [
  ...[
    'postgres',
    'postgresql',
    'redshift',
    'mysql',
    'doris',
    'oracle',
    'tsql',
    'snowflake',
    'bigquery',
  ],
  ...['spark', 'hive', 'trino', 'athena', 'db2', 'vertica', 'clickhouse', 'sqlite'],
];
const PIECES = [
  ...[
    "'",
    '"',
    '`',
    '\\',
    '--',
    '-',
    '/*',
    '*/',
    '/*!1',
    '/*+',
    ';',
    '$$',
    '$t$',
    '$1',
    '#',
    '//',
    '[',
    ']',
  ],
  ...[
    '(',
    ')',
    '{{',
    '}}',
    '{%',
    '%}',
    '{',
    '}',
    "'''",
    '"""',
    "q'[",
    "]'",
    "E'",
    "r'",
    'N"',
    '@',
    '@s/',
    '.',
  ],
  ...[
    '\n',
    '\r',
    ' ',
    ' ',
    ' ',
    ' ',
    ',',
    '=',
    '?',
    ':',
    '::',
    '1',
    '42',
    '.5',
    '0x1F',
    '\\.',
    '\0',
    '‘',
    '漢',
    '😀',
  ],
  ...[
    'alpha',
    'beta',
    'gamma',
    'delta',
    'FROM',
    'WHERE',
    'AND',
    'TRUE',
    'VALUES',
    'IN',
    'SET',
    'SELECT',
    'stdin',
  ],
  ...[
    'CREATE',
    'USER',
    'PASSWORD',
    'IDENTIFIED',
    'COPY',
    'INSERT',
    'FORMAT',
    'EXEC',
    'TABLE',
    'AS',
    'LIMIT',
  ],
];
const STARTS = [
  'SELECT ',
  'INSERT INTO t ',
  'COPY t FROM stdin',
  'CREATE ',
  'SET ',
  '',
  '{{ x }} SELECT ',
];

const redact = (sql: string, dialect?: string) =>
  redactSql(sql, { ...(dialect ? { dialect } : {}), pseudonym: () => 'id_0a1b' });
const words = (text: string) => text.match(/alpha|beta|gamma|delta/g) ?? [];

function garbage(dice: Dice): string {
  let sql = dice.pick(STARTS);
  for (let left = dice.roll(LONGEST); left >= 0; left--) sql += dice.pick(PIECES);
  return sql;
}

/** Whether the first list is left of the second when some of it is struck out. */
function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const word of all) if (word === some[at]) at++;
  return at === some.length;
}

describe('any text', () => {
  it('is redacted to something that is clean, and stays as it is when it is redacted again', () => {
    for (let index = 0; index < CASES; index++) {
      const dice = new Dice(seed + index);
      const sql = garbage(dice);
      for (const dialect of [undefined, dice.pick(DIALECTS)]) {
        const { text } = redact(sql, dialect);
        const again = redact(text, dialect).text;
        const what = `seed ${seed}, case ${index}, ${dialect}: ${JSON.stringify(sql)} -> ${JSON.stringify(text)}`;
        if (!isClean(text)) expect.fail(`not clean: ${what}`);
        if (again !== text) expect.fail(`not idempotent: ${what} -> ${JSON.stringify(again)}`);
        redactExpression(sql, dialect ? { dialect } : {});
      }
    }
  });

  it('keeps, read without a dialect, only what every dialect keeps', () => {
    for (let index = 0; index < CASES; index++) {
      const dice = new Dice(seed - index);
      const sql = garbage(dice);
      const open = redact(sql);
      const known = dice.pick(DIALECTS);
      const closed = redact(sql, known);
      // What a dialect cannot read at all says nothing about what it would keep.
      if (closed.mode !== 'full') continue;
      if (!isPartOf(words(open.text), words(closed.text))) {
        expect.fail(
          `seed ${seed}, case ${index}, ${known}: ${JSON.stringify(sql)} -> ${JSON.stringify([open.text, closed.text])}`,
        );
      }
    }
  });
});
