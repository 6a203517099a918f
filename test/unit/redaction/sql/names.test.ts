import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

const FIXTURES = new URL('../../../fixtures/', import.meta.url);
/** The share of names that may go when the dialect is known, and when it is not. */
const LOST_AT_MOST = { known: 0.02, unknown: 0.05 };

/** Statements as tools write them; the recorded events have only a few kinds. */
const WRITTEN: ReadonlyArray<readonly [string, string]> = [
  [
    'snowflake',
    `create or replace transient table analytics.marts.fct_orders as (with src as (select * from raw.shop.orders), agg as (select customer_id, count(*) as number_of_orders, sum(amount)::number(38, 2) as total from src where status <> 'void' group by 1) select c."Customer Name", agg.* from agg left join raw.shop.customers c on c.id = agg.customer_id qualify row_number() over (partition by c.id order by c.loaded_at desc) = 1);`,
  ],
  [
    'bigquery',
    'create or replace table `project-x.mart.daily` partition by date(created_at) cluster by region options (description="""daily "sales" of EU""") as select region, safe_cast(json_extract_scalar(payload, "$.total") as numeric) as total from `project-x.raw.events` where _partitiondate >= date_sub(current_date(), interval 7 day) and kind in ("order", \'refund\')',
  ],
  [
    'spark',
    `INSERT OVERWRITE TABLE lake.sales PARTITION (dt = '2024-01-01') SELECT /*+ BROADCAST(d) */ s.id, d.label, explode(s.items) AS item FROM \`raw zone\`.sales s JOIN dim d ON s.dim_id = d.id WHERE s.amount > 10.5 AND d.active = true`,
  ],
  [
    'tsql',
    `MERGE INTO [dbo].[Order Lines] WITH (HOLDLOCK) AS target USING #staging AS source ON target.OrderId = source.OrderId WHEN MATCHED AND source.Deleted = 1 THEN DELETE WHEN NOT MATCHED THEN INSERT (OrderId, Amount) VALUES (source.OrderId, source.Amount) OUTPUT $action, inserted.OrderId;`,
  ],
  [
    'mysql',
    "INSERT INTO `order lines` (`id`, `label`) VALUES (1, \"it's\"), (2, 'x') ON DUPLICATE KEY UPDATE `label` = VALUES(`label`), updated_at = NOW()",
  ],
  [
    'oracle',
    `SELECT e.employee_id, LEVEL, SYS_CONNECT_BY_PATH(e.last_name, '/') AS path FROM hr.employees@remote e WHERE e.hired > TO_DATE('2024-01-01', 'YYYY-MM-DD') START WITH e.manager_id IS NULL CONNECT BY PRIOR e.employee_id = e.manager_id`,
  ],
  [
    'postgres',
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS idx_orders_open ON sales.orders USING gin (payload jsonb_path_ops) WHERE status = 'open' AND payload ? 'key'`,
  ],
  [
    'redshift',
    `UNLOAD ('select * from sales') TO 's3://b/k' IAM_ROLE 'arn:aws:iam::123456789012:role/r' FORMAT AS PARQUET PARTITION BY (region)`,
  ],
  [
    'clickhouse',
    `SELECT toStartOfHour(ts) AS hour, uniqExact(user_id), quantile(0.95)(latency) FROM db.events FINAL PREWHERE kind = 'x' GROUP BY hour ORDER BY hour LIMIT 10 BY user_id SETTINGS max_threads = 4`,
  ],
  [
    'trino',
    `SELECT cast(json_parse(body) AS map(varchar, varchar)) AS fields, approx_percentile(price, 0.5) FROM hive.raw.events CROSS JOIN UNNEST(items) AS t (item) WHERE day BETWEEN date '2024-01-01' AND date '2024-01-31'`,
  ],
  [
    'sqlite',
    `UPDATE "users" SET last_seen = strftime('%s', 'now') WHERE id IN (SELECT user_id FROM sessions WHERE expired = 0)`,
  ],
  [
    'duckdb',
    `COPY (SELECT region, sum(amount) FROM read_parquet('s3://b/*.parquet') GROUP BY ALL) TO 'out.csv' (HEADER, DELIMITER ',')`,
  ],
];

const recorded = ['openlineage-events', 'workload'].flatMap((folder) =>
  readdirSync(new URL(folder, FIXTURES))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) =>
      statementsIn(JSON.parse(readFileSync(new URL(`${folder}/${name}`, FIXTURES), 'utf8'))),
    ),
);

/** Statements in an event, in one that a request carried, and in the attributes of spans. */
function statementsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    if (key === 'body' && value.startsWith('{')) return statementsIn(JSON.parse(value));
    return key === 'query' || key === 'sqlText' ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => statementsIn(member, name));
}

/** Names as a reader finds them: words outside strings and comments. The statements here are simple enough for that. */
function names(sql: string, hasDoubleQuotedStrings: boolean): string[] {
  const code = sql
    .replace(/--[^\n]*|\/\*.*?\*\//gs, ' ')
    .replace(/"""[\s\S]*?"""/g, ' ')

    .replace(/\b[EN](?=')/g, ' ')
    .replace(hasDoubleQuotedStrings ? /"[^"]*"|'[^']*'/g : /'(?:[^']|'')*'/g, ' ')
    .replace(/\b(?:true|false)\b/gi, ' ');
  return code.match(/(?<![\p{L}\p{N}_$])[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
}

function lost(statements: ReadonlyArray<readonly [string, string]>, isKnown: boolean) {
  let all = 0;
  const gone: string[] = [];
  for (const [dialect, sql] of statements) {
    const { text } = redactSql(sql, {
      ...(isKnown ? { dialect } : {}),
      pseudonym: () => 'id_0a1b',
    });
    const kept = new Set(text.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
    for (const name of names(sql, ['mysql', 'bigquery', 'spark'].includes(dialect))) {
      all++;
      if (!kept.has(name)) gone.push(`${dialect}: ${name}`);
    }
  }
  return { share: gone.length / all, gone };
}

describe('names', () => {
  const statements = [...recorded.map((sql) => ['postgres', sql] as const), ...WRITTEN];

  it('are found in the recorded events at all', () => {
    expect(recorded.length).toBeGreaterThan(8);
  });

  it('stay when the dialect is known', () => {
    const { share, gone } = lost(statements, true);
    expect(share, gone.join('; ')).toBeLessThanOrEqual(LOST_AT_MOST.known);
  });

  // `[a]`, `#a`, triple quotes and `a@b` mean other things to other dialects: there, safety costs names.
  it('stay, most of them, when it is not', () => {
    const common = statements.filter(
      ([dialect]) => !['tsql', 'bigquery', 'oracle'].includes(dialect),
    );
    const { share, gone } = lost(common, false);
    expect(share, gone.join('; ')).toBeLessThanOrEqual(LOST_AT_MOST.unknown);
  });
});
