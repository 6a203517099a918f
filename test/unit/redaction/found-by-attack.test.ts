import { describe, expect, it } from 'vitest';
import { redactCommandLine } from '../../../lambdas/domain/redaction/command-line.ts';
import { redactErrorText } from '../../../lambdas/domain/redaction/error-text.ts';
import { isColumnData } from '../../../lambdas/domain/redaction/names.ts';
import { redactSql } from '../../../lambdas/domain/redaction/sql/redact-sql.ts';
import { redactEvent } from '../../support/redact.ts';

const HUSH = 'hushword';
const inFacet = (content: object) =>
  redactEvent(JSON.stringify({ run: { facets: { acme: content } } }));

/** Kinds that a review got through, each with its smallest input. */
describe('what a review got through', () => {
  it.each([
    `SELECT a FROM t WHERE x=?\nParameters: ${HUSH}(String), 5(Integer)`,
    `SELECT a FROM t WHERE x=? args: ${HUSH}`,
    `SELECT a FROM t WHERE x=$1 {"x": "${HUSH}"}`,
    `SELECT a FROM t WHERE x=? [["x", "${HUSH}"]]`,
    `SELECT a FROM t WHERE x=sk_live_${HUSH}abcdefgh`,
  ])('the values that a logger appends, and tokens: %s', (sql) => {
    for (const dialect of ['postgres', 'mysql', 'oracle', 'snowflake', 'trino', 'spark']) {
      expect(redactSql(sql, { dialect, pseudonym: () => 'id_a' }).text).not.toContain(HUSH);
    }
  });

  it.each([
    `python a.py --customer ${HUSH}`,
    `curl --user u:${HUSH} h`,
    `curl -uu:${HUSH}1 h`,
    `sqlplus scott/${HUSH}@db`,
    `impdp u/${HUSH} dir=x`,
  ])('a word behind a flag that nobody knows: %s', (line) => {
    expect(redactCommandLine(line)).not.toContain(HUSH);
  });

  it.each([
    'dbt run --select stg_orders+ --target prod',
    'spark-submit --master yarn --class a.b.C job.py',
    'psql -h db.example -f load.sql',
  ])('and keeps what flags name: %s', (line) => {
    expect(redactCommandLine(line)).toBe(line);
  });

  it.each([
    { cmd: ['psql', '--password', HUSH] },
    { a: `exec sp '${HUSH}'` },
    { a: `CALL p('${HUSH}')` },
    { a: `VALUES ('${HUSH}')` },
    { a: `u:${HUSH}@tcp(h:3306)/db` },
    { a: `delete t where a='${HUSH}'` },
    { a: `FROM t SELECT a WHERE b='${HUSH}'` },
    { refreshTokens: [HUSH] },
    { apiKeys: HUSH },
  ])('in facets that nobody knows: %j', (content) => {
    expect(inFacet(content).text).not.toContain(HUSH);
  });

  it('the value of a tag that is called like a secret', () => {
    const tags = { tags: [{ key: 'api_key', value: HUSH, source: 'USER' }] };
    const { text } = redactEvent(JSON.stringify({ run: { facets: { tags } } }));
    expect(text).not.toContain(HUSH);
  });

  it('and what it lost: the folders of a partition, and names that sound like a statement', () => {
    const name = (text: string) =>
      JSON.parse(redactEvent(JSON.stringify({ job: { namespace: 'n', name: text } })).text).job
        .name;
    expect(name('s3://b/k=1/password=x')).toBe('s3://b/k=1/password=***');
    for (const title of ['Copy to S3', 'set of orders', 'Create table', 'Update users from CRM']) {
      expect(name(title)).toBe(title);
    }
  });

  it.each(['t_4111_1111_1111_1111', 'AB123456C', 'x_GB82WEST12345698765432'])(
    'a number in groups, as a name anywhere: %s',
    (name) => {
      for (const dialect of ['postgres', 'mysql', 'tsql', undefined]) {
        for (const written of [name, `"${name}"`, `[${name}]`, `s."${name}"`]) {
          const { text } = redactSql(`SELECT ${written} FROM ${written} WHERE ${written} = 1`, {
            ...(dialect && { dialect }),
            pseudonym: () => 'id_a',
          });
          expect(text).not.toContain(name);
        }
      }
      expect(
        redactErrorText(`relation "${name}" does not exist`, () => undefined).text,
      ).not.toContain(name);
      expect(isColumnData(name)).toBe(true);
    },
  );

  it.each(['events_2024_01_01_00', 'orders_20240131', 'stg_2024_q1', 'sha1_of_row'])(
    'and the names of days and hours stay: %s',
    (name) => {
      const sql = `SELECT "${name}" FROM ${name}`;
      expect(redactSql(sql, { dialect: 'postgres', pseudonym: () => 'id_a' }).text).toBe(sql);
      expect(isColumnData(name)).toBe(false);
    },
  );
});
