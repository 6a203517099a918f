import { describe, expect, it } from 'vitest';
import { readPolicy, STRICT } from '../../../lambdas/domain/redaction/policy.ts';
import { redactEvent, valueRedactor } from '../../support/redact.ts';
import { CANARY } from './sensitive-events.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const factsOf = (event: object, policy = STRICT) =>
  redactEvent(JSON.stringify(event), { policy }).facts;
const statement = (event: object, policy = STRICT) => factsOf(event, policy).statements?.[0];

describe('what is taken of a statement before its values go', () => {
  it('is what bounds it, where it comes from and what it compares', () => {
    const query = `SELECT a FROM t WHERE b = '${CANARY}' AND c > 48211907 LIMIT 50 /* traceparent='${TRACEPARENT}' */`;
    const facts = factsOf({ job: { facets: { sql: { query, dialect: 'postgres' } } } });
    expect(facts).toMatchObject({
      statements: [
        {
          path: '$.job.facets.sql.query',
          dialect: 'postgres',
          dialectSource: 'facet',
          verbs: ['SELECT'],
          literals: { string: 1, number: 2 },
          limit: { kind: 'constant', rows: 50 },
          traceparent: TRACEPARENT,
          filters: [
            { column: 'b', op: '=', literalKind: 'string' },
            { column: 'c', op: '>', literalKind: 'number' },
          ],
          shape: expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      ],
    });
    expect(JSON.stringify(facts)).not.toMatch(new RegExp(`${CANARY}|48211907`));
  });

  it('has one shape for statements that differ in values only, and one for each dialect', () => {
    const shape = (query: string, dialect = 'postgres') =>
      statement({ job: { facets: { sql: { query, dialect } } } })?.shape;
    expect(shape("SELECT a FROM t WHERE b = 'x'")).toBe(shape("SELECT a FROM t WHERE b = 'yy'"));
    expect(shape("SELECT a FROM t WHERE b = 'x'")).not.toBe(shape("SELECT a FROM t WHERE c = 'x'"));
    expect(shape('SELECT a FROM t', 'mysql')).not.toBe(shape('SELECT a FROM t'));
  });

  it('has an exact fingerprint when the policy asks for one only', () => {
    const policy = readPolicy({ exactFingerprints: true });
    const event = (value: string) => ({
      job: { facets: { sql: { query: `SELECT a FROM t WHERE b = '${value}'` } } },
    });
    expect(statement(event('x'))).not.toHaveProperty('exact');
    expect(statement(event('x'), policy)?.exact).toMatch(/^[0-9a-f]{32}$/);
    expect(statement(event('x'), policy)?.exact).not.toBe(statement(event('y'), policy)?.exact);
  });

  it('stands under the path of what is stored', () => {
    const query = 'SELECT 1';
    const { statements } = factsOf({
      inputs: [{}, { facets: { "o'dd name": { '0': [{ sql: query }, [{ query }]] } } }],
      note: JSON.stringify([{ query }]),
      'jane@example.com': { query },
    });
    expect(statements?.map(({ path }) => path)).toEqual([
      "$.inputs[1].facets['o\\'dd name']['0'][0].sql",
      "$.inputs[1].facets['o\\'dd name']['0'][1][0].query",
      '$.note',
      `$.${valueRedactor().pseudonym('jane@example.com')}.query`,
    ]);
  });

  it('names a column that is data by its pseudonym', () => {
    const query = `SELECT 1 FROM t WHERE "${CANARY}@example.com" = 'x'`;
    const facts = factsOf({ job: { facets: { sql: { query, dialect: 'postgres' } } } });
    expect(JSON.stringify(facts)).not.toContain(CANARY);
    expect(facts.statements?.[0]?.filters).toEqual([
      {
        column: valueRedactor().pseudonym(`${CANARY}@example.com`),
        op: '=',
        literalKind: 'string',
      },
    ]);
  });
});

describe('what is taken of an error before its values go', () => {
  it('is what the database said besides values', () => {
    const message = `org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint "orders_pkey"\n  Detail: Key (mail)=(${CANARY}) already exists.`;
    const facts = factsOf({ run: { facets: { errorMessage: { message } } } });
    expect(facts.errors).toMatchObject([
      {
        path: '$.run.facets.errorMessage.message',
        constraint: 'orders_pkey',
        system: 'postgresql',
      },
    ]);
    expect(JSON.stringify(facts)).not.toContain(CANARY);
  });

  it('is nothing of an error that says nothing', () => {
    expect(factsOf({ run: { facets: { errorMessage: { message: CANARY } } } })).toEqual({});
  });
});

describe('the list of facts', () => {
  it('has a bound, counts what it leaves out, and leaves out no redaction', () => {
    const query = `SELECT a FROM t WHERE b = '${CANARY}'`;
    const facets = Array.from({ length: 2_000 }, () => ({ sql: query }));
    const { text, fields, facts } = redactEvent(JSON.stringify({ a: facets }));
    const kept = facts.statements?.length ?? 0;
    expect(kept).toBeGreaterThan(300);
    expect(kept + (facts.leftOut ?? 0)).toBe(2_000);
    expect(JSON.stringify(facts).length).toBeLessThan(512 * 1024);
    expect(fields).toHaveLength(2_000);
    expect(text).not.toContain(CANARY);
  });
});

describe('the dialect of a statement', () => {
  const sql = { facets: { sql: { query: 'SELECT 1' } } };
  const dataset = (namespace: string, uri?: string) => ({
    namespace,
    name: 't',
    ...(uri !== undefined && { facets: { dataSource: { uri } } }),
  });
  const engine = (name: string) => ({ facets: { processing_engine: { name } } });
  const warehouse = readPolicy({ dialects: { 'postgres://dw': 'redshift' } });

  const SAID: ReadonlyArray<readonly [string, object, string, string | undefined]> = [
    [
      'the facet',
      { job: { facets: { sql: { query: 'SELECT 1', dialect: ' MySQL ' } } } },
      'mysql',
      'facet',
    ],
    [
      'the facet, against the engine',
      { run: engine('spark'), job: { facets: { sql: { query: 'SELECT 1', Dialect: 'mysql' } } } },
      'mysql',
      'facet',
    ],
    [
      'the engine',
      { run: engine('Spark'), job: sql, inputs: [dataset('postgres://h')] },
      'spark',
      'engine',
    ],
    [
      'no engine that is not known',
      { run: engine('dremio'), job: sql, inputs: [dataset('postgres://h')] },
      'unknown',
      undefined,
    ],
    [
      'the database behind an orchestrator',
      { run: engine('Airflow'), job: sql, inputs: [dataset('postgres://h')] },
      'postgres',
      'namespace',
    ],
    [
      'a connection',
      { job: sql, inputs: [dataset('x', 'jdbc:mysql://h/d')] },
      'mysql',
      'connection',
    ],
    [
      'a connection, against its namespace',
      { job: sql, outputs: [dataset('postgres://h', 'redshift://h')] },
      'redshift',
      'connection',
    ],
    [
      'no two connections',
      { job: sql, inputs: [dataset('x', 'mysql://h'), dataset('x', 'oracle://h')] },
      'unknown',
      undefined,
    ],
    [
      'a namespace',
      { job: { namespace: 'mysql', ...sql }, inputs: [dataset('bigquery')] },
      'bigquery',
      'namespace',
    ],
    [
      'namespaces that are spelled in two ways',
      { job: sql, inputs: [dataset('sqlserver://h')], outputs: [dataset('mssql://h')] },
      'sqlserver',
      'namespace',
    ],
    [
      'no two namespaces',
      {
        job: { namespace: 'mysql', ...sql },
        inputs: [dataset('mysql://h'), dataset('postgres://h')],
      },
      'unknown',
      undefined,
    ],
    [
      'no namespace beside files',
      { job: sql, inputs: [dataset('mysql://h')], outputs: [dataset('s3://b')] },
      'unknown',
      undefined,
    ],
    [
      'the dataset of its event',
      { dataset: { ...dataset('trino://h'), facets: { acme: { sql: 'SELECT 1' } } } },
      'trino',
      'namespace',
    ],
    [
      'a job that touches no data',
      { job: { namespace: 'snowflake://a', ...sql } },
      'snowflake',
      'namespace',
    ],
    ['no name that is none', { job: { namespace: 'mcp', ...sql } }, 'unknown', undefined],
    [
      'two words of one facet',
      {
        job: { facets: { sql: { query: 'SELECT 1', dialect: 'mysql', Dialect: 'oracle' } } },
        inputs: [dataset('mysql://h')],
      },
      'unknown',
      undefined,
    ],
    [
      'a word that nobody knows',
      {
        job: { facets: { sql: { query: 'SELECT 1', dialect: 'kql' } } },
        inputs: [dataset('mysql://h')],
      },
      'unknown',
      undefined,
    ],
    [
      'a word that is no text',
      {
        job: { facets: { sql: { query: 'SELECT 1', dialect: 7 } } },
        inputs: [dataset('mysql://h')],
      },
      'unknown',
      undefined,
    ],
    [
      'another job',
      { run: { facets: { parent: { job: sql } } }, inputs: [dataset('mysql://h')] },
      'unknown',
      undefined,
    ],
  ];

  it.each(SAID)('is what is said by %s', (_who, event, dialect, dialectSource) => {
    const found = statement(event);
    expect([found?.dialect, found?.dialectSource]).toEqual([dialect, dialectSource]);
  });

  it('is what the policy says of a namespace, but for the word of the facet', () => {
    const event = (facet: object) => ({
      run: engine('spark'),
      job: { namespace: 'n', facets: { sql: { query: 'SELECT 1', ...facet } } },
      inputs: [dataset('postgres://dw:5439')],
    });
    expect(statement(event({}), warehouse)).toMatchObject({
      dialect: 'redshift',
      dialectSource: 'policy',
    });
    expect(statement(event({ dialect: 'mysql' }), warehouse)?.dialectSource).toBe('facet');
  });

  it('decides what is a value', () => {
    const stored = (namespace: string) =>
      redactEvent(
        JSON.stringify({
          job: { facets: { sql: { query: `SELECT a FROM t WHERE b = "${CANARY}"` } } },
          inputs: [dataset(namespace)],
        }),
      ).text;
    expect(stored('mysql://h')).not.toContain(CANARY);
    expect(stored('acme://h')).not.toContain(CANARY);
    expect(stored('postgres://h')).toContain(CANARY);
  });
});
