import { describe, expect, it } from 'vitest';
import { dialectName } from '../../../../lambdas/domain/redaction/sql/dialects.ts';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

const redact = (sql: string, dialect?: string) =>
  redactSql(sql, { ...(dialect === undefined ? {} : { dialect }), pseudonym: () => 'id_0' });

describe('the name of a dialect', () => {
  it.each([
    ['postgres', 'postgres'],
    ['postgresql', 'postgresql'],
    [' PostgreSQL ', 'postgresql'],
    ['cockroach', 'cockroachdb'],
    ['aws.redshift', 'redshift'],
    ['mssql', 'sqlserver'],
    ['microsoft.sql_server', 'sqlserver'],
    ['gcp.bigquery', 'bigquery'],
    ['oracle.db', 'oracle'],
    ['ibm.db2', 'db2'],
    ['teradata', 'teradata'],
    ['spark_sql', 'spark'],
    ['unknown', undefined],
    ['constructor', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j', (given, name) => {
    expect(dialectName(given)).toBe(name);
    expect(redact('SELECT a FROM t', given).dialect).toBe(name ?? 'unknown');
  });

  it('tells the rules that were used: `mssql` reads brackets as `sqlserver` does', () => {
    const sql = 'SELECT [Order Lines] FROM t';
    const { text, mode } = redact(sql, 'mssql');
    expect({ text, mode }).toEqual({ text: sql, mode: 'full' });
    expect(redact(sql, dialectName('mssql')).text).toBe(text);
    expect(redact(sql, 'no such database').mode).toBe('partial');
  });

  it('stands beside what could not be read, too', () => {
    expect(redact('12 rows', 'mssql')).toMatchObject({ mode: 'skeleton', dialect: 'sqlserver' });
  });
});
