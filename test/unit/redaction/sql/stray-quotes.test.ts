import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

const DIALECTS = [
  'postgres',
  'postgresql',
  'mysql',
  'oracle',
  'sqlserver',
  'snowflake',
  'bigquery',
  'spark',
  'hive',
  'trino',
  'clickhouse',
  'sqlite',
  'vertica',
  undefined,
];
const CANARY = 'qzkanarywort';
const STATEMENTS = [
  `SELECT a FROM t WHERE b = 'x' AND c = ' ${CANARY} ' AND d = ' y ' AND e = 'z'`,
  `UPDATE t SET a = ' ${CANARY} ', b = ' ${CANARY} and more ' WHERE c IN (' ${CANARY} ', 'd')`,
  `INSERT INTO t (a, b) VALUES (' one', ' ${CANARY} two'), ('three ', ' ${CANARY}')`,
];

const redact = (sql: string, dialect: string | undefined) =>
  redactSql(sql, { ...(dialect && { dialect }), pseudonym: () => 'id_a' }).text;

/** Whatever of the canary is long enough to say something. */
const pieces = Array.from({ length: CANARY.length - 3 }, (_, at) => CANARY.slice(at, at + 4));

describe('a quote too many or too few', () => {
  it.each(DIALECTS)('lets no value through in %s', (dialect) => {
    for (const sql of STATEMENTS) {
      for (let at = 0; at <= sql.length; at++) {
        const added = `${sql.slice(0, at)}'${sql.slice(at)}`;
        // Of the first literal without its first quote nothing says that it is none: it reads as a column.
        const isTaken = sql[at] === "'" && at !== sql.indexOf("'");
        const taken = isTaken ? sql.slice(0, at) + sql.slice(at + 1) : sql;
        for (const damaged of [added, taken]) {
          const text = redact(damaged, dialect);
          const found = pieces.filter((piece) => text.includes(piece));
          expect([damaged, text, found]).toEqual([damaged, text, []]);
        }
      }
    }
  });
});
