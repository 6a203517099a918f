import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

const redact = (sql: string, dialect = 'postgres') =>
  redactSql(sql, { dialect, pseudonym: (name) => `id_${name.length}` });
const facts = (sql: string, dialect?: string) => redact(sql, dialect).facts;
const constant = (rows: number) => ({ kind: 'constant', rows });
const expression = { kind: 'expression' };

describe('bounds on rows', () => {
  it.each([
    ['SELECT a FROM t LIMIT 100', { limit: constant(100) }],
    ['SELECT a FROM t LIMIT 100 OFFSET 4242', { limit: constant(100), offset: true }],
    ['SELECT a FROM t LIMIT 4242, 20', { limit: constant(20), offset: true }],
    ['SELECT a FROM t LIMIT $1', { limit: { kind: 'parameter' } }],
    ['SELECT a FROM t LIMIT ?', { limit: { kind: 'parameter' } }],
    ['SELECT a FROM t LIMIT 4929123412341234', { limit: expression }],
    ['SELECT a FROM t LIMIT 10 + 5', { limit: expression }],
    ['SELECT a FROM t LIMIT (SELECT 078051120)', { limit: expression }],
    ["SELECT a FROM t LIMIT '10'", { limit: expression }],
    ['SELECT a FROM t FETCH FIRST 5 ROWS ONLY', { fetch: constant(5) }],
    [
      'SELECT a FROM t OFFSET 9 ROWS FETCH NEXT 5 ROWS WITH TIES',
      { offset: true, fetch: constant(5), withTies: true },
    ],
    ['SELECT TOP 10 a FROM t', { top: constant(10) }],
    ['SELECT DISTINCT TOP (10) PERCENT a FROM t', { top: constant(10), percent: true }],
    [
      'SELECT a FROM t TABLESAMPLE SYSTEM (5)',
      { tablesample: { method: 'system', ...constant(5) } },
    ],
    ['SELECT a FROM t SAMPLE (5)', { tablesample: constant(5) }],
    ['SELECT a FROM (SELECT b FROM u LIMIT 3) x', {}],
    ['SELECT 1 LIMIT 3; SELECT 2 LIMIT 4', {}],
    ['SELECT a FROM t WHERE rownum <= 10', {}],
  ])('%s', (sql, expected) => {
    const { verbs, literals, filters, ...bounds } = facts(sql);
    expect(bounds).toEqual(expected);
    expect(redact(sql).text).not.toMatch(/(?<!\$)\b\d/);
  });
});

describe('comments', () => {
  const parent = '00-aaaabbbbccccddddaaaabbbbccccdddd-1111222233334444-01';

  it.each([
    `SELECT 1 /*traceparent='${parent}'*/`,
    `SELECT 1 /*db_driver='x',traceparent='${parent}',route='%2Fhush'*/`,
    `/* traceparent=${parent} */ SELECT 1`,
    `SELECT 1 -- traceparent='${parent}'`,
  ])('name the trace: %s', (sql) => {
    expect(facts(sql).traceparent).toBe(parent);
    expect(JSON.stringify(redact(sql))).not.toMatch(/hush/);
  });

  it.each([
    `SELECT 1 /*traceparent='${parent}; hush'*/`,
    `SELECT 1 /*traceparent='${parent.replace('a', 'g')}'*/`,
    `SELECT 1 /*traceparent='${parent.replace(/[a-d]/g, '0')}'*/`,
    `SELECT 'traceparent=${parent}'`,
    `SELECT 1 /*traceparent='${parent}'*/ /*traceparent='${parent.replace('1', '2')}'*/`,
  ])('name no trace: %s', (sql) => {
    expect(facts(sql).traceparent).toBeUndefined();
  });

  it('leave a hint as the fact that there was one', () => {
    expect(facts('SELECT /*+ FULL(t) */ a FROM t', 'oracle').hadHint).toBe(true);
    expect(facts('SELECT /* FULL(t) */ a FROM t', 'oracle').hadHint).toBeUndefined();
  });
});

describe('verbs and literals', () => {
  it('are counted by kind', () => {
    expect(
      facts("WITH q AS (SELECT 1) UPDATE t SET a = 'x', b = TRUE, c = 2, d = NULL; SET k = v"),
    ).toMatchObject({
      verbs: ['WITH', 'UPDATE', 'SET'],
      literals: { string: 1, number: 2, boolean: 1, bareValue: 1, data: 0 },
    });
  });
});

describe('filters', () => {
  it.each([
    [
      "WHERE a = 'x' AND t.b >= 5",
      [
        ['a', '=', 'string'],
        ['t.b', '>=', 'number'],
      ],
    ],
    [
      "WHERE (a LIKE 'x%' OR NOT b IN (1, 2))",
      [
        ['a', 'LIKE', 'string'],
        ['b', 'IN', 'number'],
      ],
    ],
    [
      'WHERE a BETWEEN 1 AND 2 AND "B c" <> $1',
      [
        ['a', 'BETWEEN', 'number'],
        ['B c', '<>', 'parameter'],
      ],
    ],
    ['WHERE hiv_positive IS NOT TRUE', [['hiv_positive', 'IS NOT', 'boolean']]],
    ['WHERE hiv_positive = true', [['hiv_positive', '=', 'boolean']]],
    ['WHERE a = 5 + b', []],
    ['WHERE f(a) = 5', []],
    ['WHERE a = b', []],
    ['WHERE a IS NULL', []],
    ['WHERE CASE WHEN a = 1 AND b = 2 THEN c END', []],
  ])('%s', (where, expected) => {
    const filters = expected.map(([column, op, literalKind]) => ({ column, op, literalKind }));
    expect(facts(`SELECT x FROM t ${where}`).filters).toEqual(filters);
  });

  it('are left out when the reading is not sure', () => {
    const { filters, limit } = redactSql("SELECT a FROM t WHERE b = 1 AND c = 'x\\' LIMIT 5", {
      pseudonym: () => 'x',
    }).facts;
    expect({ filters, limit }).toEqual({});
  });

  it('name a column that is data by its pseudonym', () => {
    expect(facts('SELECT 1 FROM t WHERE "jane@example.com" = 1').filters?.[0]?.column).toBe(
      'id_16',
    );
  });
});

describe('values that are words', () => {
  it('takes TRUE and FALSE and leaves NULL', () => {
    expect(redact('SELECT a FROM t WHERE b = TRUE AND c IS NOT FALSE AND d IS NULL').text).toBe(
      'SELECT a FROM t WHERE b = ? AND c IS NOT ? AND d IS NULL',
    );
  });
});

describe('names that are data', () => {
  const named = (name: string) => redact(`SELECT "${name}" FROM t`).text;

  it.each([
    ...['jane@example.com', 's3://bucket', 'a/b', 'born 1980', 'customer_4929123412341234'],
    ...['078-05-1120', '550e8400-e29b-41d4-a716-446655440000', 'x'.repeat(129)],
  ])('become pseudonyms: %s', (name) => {
    expect(named(name)).toBe(`SELECT "id_${name.length}" FROM t`);
  });

  it.each(['Order Lines', 'events_20240101', 'events_20240101_1200', 'größe', '2024-01-02', 'a.b'])(
    'stay: %s',
    (name) => {
      expect(named(name)).toBe(`SELECT "${name}" FROM t`);
    },
  );

  it('also without quotes, and in the shape', () => {
    const { text, shape } = redact('SELECT a FROM customer_4929123412341234');
    expect({ text, shape }).toEqual({ text: 'SELECT a FROM id_25', shape: 'select a from id_25' });
  });

  it('go altogether when the pseudonym itself would say something', () => {
    const { text } = redactSql('SELECT "a@b" FROM t', {
      dialect: 'postgres',
      pseudonym: (name) => name,
    });
    expect(text).toBe('SELECT ? FROM t');
  });
});

describe('the shape', () => {
  const shape = (sql: string, dialect?: string) => redact(sql, dialect).shape;

  it('is the same whatever the values, the spacing, the comments and the case of words', () => {
    const one = shape("SELECT a,b FROM t WHERE c IN ('x','y') AND d = 5 /* x */");
    expect(shape('select a , b\nfrom T where c in ( $1, $2 , $3 ) and d=$4')).toBe(one);
    expect(shape('SELECT a FROM t')).not.toBe(one);
  });

  it('forgets how many rows were inserted', () => {
    const one = shape("INSERT INTO t (a, b) VALUES (1, 'x')");
    expect(shape("INSERT INTO t (a,b) VALUES (1, 'x'), (2, 'y'), (3, 'z')")).toBe(one);
  });

  it('is only given of a statement that was read in full', () => {
    expect(shape("SELECT 'x")).toBeUndefined();
    expect(shape('no statement')).toBeUndefined();
  });
});
