import { type Dialect, tokenize } from '@polyglot-sql/sdk';
import type { Labels } from './corpus.ts';

/** The name the tokenizer has for a dialect, or the nearest one it knows. */
const NAMES: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  greenplum: 'postgresql',
  vertica: 'postgresql',
  mariadb: 'mysql',
  impala: 'hive',
  sparksql: 'spark',
  db2: 'trino',
  'oracle.db': 'oracle',
  sqlserver: 'tsql',
  'microsoft.sql_server': 'tsql',
  'gcp.bigquery': 'bigquery',
  mixed: 'generic',
};
/** A token as it comes; the declared type calls its kind `tokenType`. */
interface Token {
  readonly token_type: string;
  readonly span: { readonly start: number; readonly end: number };
}

const VALUES = /STRING|NUMBER/;
const COMMENTS = /^HINT$/;
const WORDS = /^(?:VAR|IDENTIFIER|QUOTED_IDENTIFIER)$/;

/** What another tokenizer takes for values, comments and names; undefined where it cannot read the text. */
export function secondOpinion(sql: string, dialect: string): Labels | undefined {
  const { success, tokens } = tokenize(sql, (NAMES[dialect] ?? dialect) as Dialect);
  if (!success || !tokens) return undefined;
  const offset = codeUnits(sql);
  const labels = { values: [] as number[], comments: [] as number[], names: [] as number[] };
  let at = 0;
  for (const { token_type: kind, span } of tokens as unknown as readonly Token[]) {
    const start = offset[span.start] as number;
    const end = offset[span.end] as number;
    if (sql.slice(at, start).trim()) labels.comments.push(at, start);
    if (VALUES.test(kind)) labels.values.push(start, end);
    else if (COMMENTS.test(kind)) labels.comments.push(start, end);
    else if (WORDS.test(kind)) labels.names.push(start, end);
    at = Math.max(at, end);
  }
  if (sql.slice(at).trim()) labels.comments.push(at, sql.length);
  return labels;
}

/** Where each code point begins: the tokenizer counts those. */
function codeUnits(text: string): number[] {
  const offsets = [0];
  let at = 0;
  for (const character of text) {
    at += character.length;
    offsets.push(at);
  }
  return offsets;
}
