import { redactSql } from '../lambdas/domain/redaction/sql/redact-sql.ts';
import type { Benchmark } from './benchmark.ts';
import { corpora } from './redaction-corpora.ts';
import { measurePeers } from './redaction-peers.ts';
import { compare } from './rounds.ts';

const SIZES = { '200 B': 200, '1 KB': 1_000, '10 KB': 10_000, '200 KB': 200_000 };
const LARGE_BYTES = 200_000;

/** How each family writes a value and a name. */
const FAMILIES: Readonly<Record<string, { value: string; name: string }>> = {
  postgres: { value: "'it''s shipped'", name: '"Order Lines"' },
  mysql: { value: '"it is shipped"', name: '`order lines`' },
  oracle: { value: "q'[it's shipped]'", name: '"Order Lines"' },
  sqlserver: { value: "N'it''s shipped'", name: '[Order Lines]' },
  snowflake: { value: "$$it's shipped$$", name: '"Order Lines"' },
  bigquery: { value: '"it is shipped"', name: '`project.data.orders`' },
  spark: { value: '"it is shipped"', name: '`order lines`' },
  clickhouse: { value: "'it is shipped'", name: '"Order Lines"' },
  unknown: { value: "'it is shipped'", name: 'sales.orders' },
};

/** Shapes that made other redactors quadratic. */
const PATHOLOGICAL: Readonly<Record<string, string>> = {
  comments: '/*',
  dollars: '$t$',
  brackets: '[',
  quotes: "'",
  'double quotes': '"',
  templates: '{{',
  parentheses: '(',
  'nested comments': `${'/*'.repeat(64)}${'*/'.repeat(64)}`,
};

/** Redaction of SQL against the parser of the engine on the same text as a JSON string. */
export const redaction: Benchmark = {
  summary: 'redaction of SQL against JSON.parse of the same text, and against other redactors',

  async run() {
    const rows = [];
    for (const [dialect, family] of Object.entries(FAMILIES)) {
      for (const [size, bytes] of Object.entries(SIZES)) {
        rows.push(await row(dialect, size, statement(family, bytes), dialect));
      }
    }
    for (const [name, piece] of Object.entries(PATHOLOGICAL)) {
      const sql = decoded(`SELECT ${piece.repeat(LARGE_BYTES / piece.length)}`);
      rows.push(await row(`${name} x n`, '200 KB', sql, 'unknown'));
    }
    return {
      rows,
      notes: [
        'goals: at most 10 us for 200 B, at least 50 MB/s from 1 KB on, at most 50,000 us for what is made to be slow',
        'ratio: time of the redaction over time of JSON.parse, which copies a text without looking for its meaning',
      ],
      parts: { peers: measurePeers(corpora()) },
    };
  },
};

async function row(family: string, size: string, sql: string, dialect: string) {
  const json = decoded(JSON.stringify(sql));
  const { taskMillis, floorMillis, ratio } = await compare(
    () => redactSql(sql, { dialect, pseudonym: () => 'id_0a1b2c3d' }),
    () => JSON.parse(json),
  );
  return {
    family,
    size,
    redactMicros: taskMillis.median * 1_000,
    megabytesPerSecond: sql.length / taskMillis.median / 1_000,
    parseMicros: floorMillis.median * 1_000,
    ratio,
  };
}

/** Names and values in the proportion of generated reports. */
function statement({ value, name }: { value: string; name: string }, bytes: number): string {
  const head = `SELECT o.order_id, c.customer_name, sum(o.amount) AS total FROM ${name} o WHERE o.status = ${value}`;
  let sql = head;
  while (sql.length < bytes) {
    sql += ` OR (o.customer_id = ${sql.length} AND o.region IN (${value}, ${value}))`;
  }
  return decoded(sql);
}

/** Decoded from bytes as in a function: a string that was put together is slower to read. */
function decoded(text: string): string {
  return Buffer.from(text).toString();
}
