import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

const redact = (sql: string, dialect?: string) =>
  redactSql(sql, { ...(dialect ? { dialect } : {}), pseudonym: () => 'id_0a1b' });
const text = (sql: string, dialect?: string) => redact(sql, dialect).text;

/** What public redactors have leaked or destroyed; the number of the report in the reference, section 7. */
describe('reports of others', () => {
  it('(1) a backslash escapes nothing in T-SQL and Oracle', () => {
    const sql = String.raw`SELECT n FROM d WHERE a LIKE N'x\' ESCAPE N'\' AND b LIKE 'hush' ESCAPE N'\'`;
    for (const dialect of ['sqlserver', 'oracle']) {
      expect(text(sql, dialect)).toBe(
        'SELECT n FROM d WHERE a LIKE ? ESCAPE ? AND b LIKE ? ESCAPE ?',
      );
    }
    // Without that knowledge the tail goes.
    const { mode, text: unknown } = redact(sql);
    expect(mode).toBe('partial');
    expect(unknown).not.toMatch(/hush/);
  });

  it('(3) double quotes hold strings in MySQL', () => {
    expect(text('SELECT id FROM p WHERE nick = "hush" AND x = "a\\"hush"', 'mariadb')).not.toMatch(
      /hush/,
    );
  });

  it.each([
    ['CREATE USER reporting PASSWORD Winter2024', 'CREATE USER reporting ?'],
    ['ALTER USER reporting IDENTIFIED BY Winter2024 REPLACE Summer2023', 'ALTER USER reporting ?'],
    [
      'CREATE DATABASE LINK l CONNECT TO scott IDENTIFIED BY Tiger1 USING x',
      'CREATE DATABASE LINK ?',
    ],
    ['GRANT CONNECT TO scott IDENTIFIED BY Tiger1', 'GRANT CONNECT TO scott IDENTIFIED ?'],
    [
      'IMPORT INTO t FROM JDBC AT c USER u IDENTIFIED BY pw9',
      'IMPORT INTO t FROM JDBC AT c USER u IDENTIFIED ?',
    ],
    ['CONNECT scott/Tiger1', 'CONNECT ?'],
    [
      'SET javax.jdo.option.ConnectionPassword=hunter2',
      'SET javax.jdo.option.ConnectionPassword=?',
    ],
    ['SET LOCAL app.key TO abcdef', 'SET LOCAL app.key TO ?'],
    ['ALTER DATABASE d SET app.key = abcdef', 'ALTER DATABASE d ?'],
    ['EXEC sp_password old1, new2', 'EXEC sp_password ?, ?'],
    ['IF x = 1 EXEC sp_password old1', 'IF x = ? EXEC sp_password ?'],
    ['BEGIN ALTER USER u PASSWORD pw9; END', 'BEGIN ALTER USER u ?; END'],
    [
      'CREATE TABLE t (a int) WITH (user = u9, password = pw9)',
      'CREATE TABLE t (a int) WITH (user = ?, password = ?)',
    ],
    [
      'CREATE TABLE t USING jdbc OPTIONS (password pw9)',
      'CREATE TABLE t USING jdbc OPTIONS (password ?)',
    ],
    ['RESTORE DATABASE d WITH PASSWORD = pw9', 'RESTORE DATABASE d WITH PASSWORD ?'],
    ['PRAGMA key = pw9', 'PRAGMA key = ?'],
  ])('(5) bare words are passwords: %s', (sql, expected) => {
    expect(text(sql, 'oracle')).toBe(expected);
  });

  it('(6) dollars with a tag quote strings', () => {
    expect(text("SELECT $a1$it's $$ hush$a1$, b FROM t", 'postgres')).toBe('SELECT ?, b FROM t');
  });

  it('(8) a quote behind a backslash, and a bracket that never closes', () => {
    expect(text(String.raw`SELECT a FROM t WHERE b = 'x\'hush'`, 'mysql')).toBe(
      'SELECT a FROM t WHERE b = ?',
    );
    expect(redact('SELECT [hush FROM t WHERE a = 1', 'tsql')).toMatchObject({
      mode: 'partial',
      text: 'SELECT ?',
    });
  });

  it.each(['snowflake', 'mysql', 'hive', 'postgres'])(
    '(8) an even number of backslashes escapes no quote in %s',
    (dialect) => {
      expect(
        redact(String.raw`SELECT a FROM t WHERE b = 'x\\' AND c = 'hush'`, dialect),
      ).toMatchObject({
        mode: 'full',
        text: 'SELECT a FROM t WHERE b = ? AND c = ?',
      });
    },
  );

  it('(9) a long statement behind a comment is never handed through', () => {
    const sql = `/* job */ SELECT a FROM t WHERE login = 'hush' OR b IN (${'1,'.repeat(150_000)}1)`;
    expect(redact(sql)).toMatchObject({ mode: 'skeleton', text: '?', rules: ['too_long'] });
    expect(redact(sql.slice(10)).text).toBe('SELECT ?');
  });

  it('(11) a statement that a parser refuses is redacted all the same', () => {
    expect(text("CREATE ROLE r WITH PASSWORD='a1b2' AND PASSWORD=c3d4", 'postgres')).toBe(
      'CREATE ROLE r ?',
    );
  });

  it.each([
    "CREATE USER MAPPING FOR u SERVER s OPTIONS (user 'a', password 'hush')",
    "SELECT pglogical.create_node(node_name := 'n', dsn := 'host=h password=hush')",
    "SELEC 1; CREATE ROLE r PASSWORD 'hush'",
    'SELECT 1; ALTER ROLE r PASSWORD hush; SELECT 2',
  ])('(12) credentials in mappings, connection strings, and behind other statements: %s', (sql) => {
    expect(text(sql, 'postgres')).not.toMatch(/hush/);
  });

  it.each([
    ["SHOW TABLES LIKE 'hush%'", 'SHOW TABLES LIKE ?'],
    ["COMMENT ON COLUMN t.a IS 'hush'", 'COMMENT ON COLUMN t.a IS ?'],
    ["COPY t FROM 's3://hush' NULL 'hush'", 'COPY t FROM ? NULL ?'],
    ["THIS IS NOT SQL 'hush", '?'],
  ])('(14) literals where a syntax tree has none: %s', (sql, expected) => {
    expect(text(sql, 'postgres')).toBe(expected);
  });

  it.each([
    "Duplicate field key 'hush'",
    'could not connect: host=h password=hush',
    "(psycopg2.errors.X) [SQL: SELECT 1] [parameters: {'a': 'hush'}]",
  ])('(16, 17) what is no statement is not kept: %s', (message) => {
    expect(text(message)).toBe('?');
  });

  it('(19) text that looks redacted is looked at like any other', () => {
    expect(text('SELECT a FROM t WHERE b = ? AND c = \'hush\' AND d = "hush" LIMIT ?')).toBe(
      'SELECT a FROM t WHERE b = ? AND c = ? AND d = ? LIMIT ?',
    );
  });
});

describe('what is not sure', () => {
  it.each([
    ["SELECT 'it's hush' FROM t", 'postgres'],
    ['SELECT ‘hush’ FROM t', 'postgres'],
    ['SELECT ＇hush＇ FROM t', undefined],
    ['SELECT a\0hush FROM t', 'mysql'],
    ['SELECT $$hush$$ FROM t', 'mysql'],
    ['SELECT `hush` FROM t', 'postgres'],
    ["SELECT a FROM t WHERE b = 's\\' OR c = 'hush' OR d = 'e'", undefined],
    ['SELECT a -- x\rhush FROM t', 'postgres'],
    ["SELECT '{{ f('hush') }}' FROM t", 'postgres'],
    ['SELECT a # hush\nFROM t', undefined],
    ["SELECT /*! 'a */ hush */ 1", undefined],
  ])('goes: %j read as %s', (sql, dialect) => {
    expect(redact(sql, dialect).mode).not.toBe('full');
    expect(text(sql, dialect)).not.toMatch(/hush/);
  });

  it('goes with everything before it when the head of a comment is missing', () => {
    expect(text('SELECT hush hush */ 1', 'postgres')).toBe('SELECT ?');
  });

  it('goes from the first question on when there are too many readings to make', () => {
    expect(text('SELECT a, [b], c --d\n, e //f\n, g #h\n, i FROM t')).toBe('SELECT a, ?');
    expect(text('SELECT a, [b], c --d\n, i FROM t')).toMatch(/^SELECT a, \[b\], c .*i FROM t$/s);
  });

  it('leaves one placeholder for each literal, doubled quotes included', () => {
    expect(text("SELECT 'it''s', \"a\"\"b\", E'x''y' FROM t", 'duckdb')).toBe(
      'SELECT ?, "id_0a1b", ? FROM t',
    );
    expect(text("SELECT 'it''s', 'b' FROM t", 'mysql')).toBe('SELECT ?, ? FROM t');
  });

  it('is nothing that other readings agree on', () => {
    const { text: kept, mode } = redact("SELECT a, 'x' FROM sales.orders WHERE b = 7");
    expect({ kept, mode }).toEqual({
      kept: 'SELECT a, ? FROM sales.orders WHERE b = ?',
      mode: 'full',
    });
  });
});

describe('what only looks like code', () => {
  it.each([
    ["SELECT '{{ f(' hush ') }}' FROM t", 'postgres'],
    ['SELECT ｈｕｓｈ FROM t', 'postgres'],
    ['INSERT INTO t (a) FORMAT CSV hush,hush', 'clickhouse'],
    ['INSERT INTO t (a) FORMAT CSV hush,hush', undefined],
    ['SELECT a FROM t WHERE b IS DISTINCT FROM "hush"', undefined],
    ['SELECT a FROM t WHERE b = TRIM(BOTH FROM "hush")', 'sqlite'],
    ['SELECT a FROM t WHERE b = a50e8400-e29b-41d4-a716-446655440000', 'cassandra'],
  ])('goes: %s read as %s', (sql, dialect) => {
    expect(text(sql, dialect).normalize('NFKC')).not.toMatch(/hush|e29b/);
  });
});

describe('accounts and hosts', () => {
  it.each([
    ['SELECT a FROM t WHERE b = jane.doe@example.com', undefined],
    ['GRANT ALL ON d.* TO app@db7.internal', 'mysql'],
    ["GRANT ALL ON d.* TO 'app'@db7.internal", 'mysql'],
    ['CREATE DEFINER=`jane`@`db7.internal` VIEW v AS SELECT 1', 'mysql'],
  ])('are data: %s', (sql, dialect) => {
    expect(text(sql, dialect)).not.toMatch(/jane|doe|db7|internal/);
  });
});
