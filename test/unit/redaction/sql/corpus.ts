import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  type RedactedSql,
  redactSql,
} from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

/** What a tokenizer that is not ours says of a statement: pairs of offsets, start and end. */
export interface Labels {
  readonly values: readonly number[];
  readonly comments: readonly number[];
  readonly names: readonly number[];
}

export interface LabelledStatement extends Labels {
  readonly project: string;
  /** `mixed`: nobody knows. */
  readonly dialect: string;
  readonly sql: string;
}

export interface Judgement {
  readonly result: RedactedSql;
  /** Words and numbers of values and comments that are still there, of any length. */
  readonly leaked: readonly string[];
  readonly names: number;
  /** Words of names that are gone and have no pseudonym in their place. */
  readonly lost: readonly string[];
  /** How many of those stood in double quotes. */
  readonly lostInDoubleQuotes: number;
}

/** Statements of public projects; see the README beside the file. */
export function publicStatements(): LabelledStatement[] {
  const file = new URL('../../../fixtures/redaction/corpus/statements.ndjson.gz', import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as LabelledStatement);
}

const PSEUDONYM = 'id_abcdefghijklmnop';
const WORD = /[\p{L}\p{N}_]+/gu;

/**
 * Redacts a statement and compares words: each may stand in the output as often as it stood in code. A
 * piece of a value is found this way even when another piece of the statement reads the same.
 */
export function judge(sql: string, labels: Labels, dialect: string | undefined): Judgement {
  const pseudonymised = new Set<string>();
  const result = redactSql(sql, {
    ...(dialect ? { dialect } : {}),
    pseudonym: (name) => {
      for (const word of wordsOf(name)) pseudonymised.add(word);
      return PSEUDONYM;
    },
  });
  const kept = countOf(wordsOf(result.text));
  kept.delete(PSEUDONYM);
  const values = spansOf(labels.values).filter(
    (span) => dialect !== undefined || !isInPlaceOfName(sql, span),
  );
  const code = countOf(wordsOf(withoutSpans(sql, [...values, ...spansOf(labels.comments)])));
  const leaked = [...kept].flatMap(([word, times]) =>
    times > (code.get(word) ?? 0) ? [word] : [],
  );
  const lost: string[] = [];
  let lostInDoubleQuotes = 0;
  let names = 0;
  for (const [start, end] of spansOf(labels.names)) {
    for (const word of wordsOf(sql.slice(start, end))) {
      names++;
      const left = kept.get(word) ?? 0;
      if (left > 0) kept.set(word, left - 1);
      else if (!pseudonymised.has(word)) {
        lost.push(word);
        if (sql[start] === '"') lostInDoubleQuotes++;
      }
    }
  }
  return { result, leaked, names, lost, lostInDoubleQuotes };
}

/** Figures of one group of statements. */
export interface Tally {
  statements: number;
  values: number;
  leaks: number;
  names: number;
  lost: number;
  lostInDoubleQuotes: number;
}

/** Judges statements, each as its dialect or as none, and adds up by project. */
export function tally(
  statements: readonly LabelledStatement[],
  isDialectKnown: boolean,
): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const statement of statements) {
    if (isDialectKnown && statement.dialect === 'mixed') continue;
    const found = judge(statement.sql, statement, isDialectKnown ? statement.dialect : undefined);
    const sum = tallies.get(statement.project) ?? emptyTally();
    tallies.set(statement.project, sum);
    sum.statements++;
    sum.values += statement.values.length / 2;
    sum.leaks += found.leaked.length > 0 ? 1 : 0;
    sum.names += found.names;
    sum.lost += found.lost.length;
    sum.lostInDoubleQuotes += found.lostInDoubleQuotes;
  }
  return tallies;
}

export function total(tallies: ReadonlyMap<string, Tally>): Tally {
  const sum = emptyTally();
  for (const one of tallies.values()) {
    for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += one[key];
  }
  return sum;
}

function emptyTally(): Tally {
  return { statements: 0, values: 0, leaks: 0, names: 0, lost: 0, lostInDoubleQuotes: 0 };
}

/**
 * Without a dialect a double quote opens a name where nothing else can stand. In a dialect in which it
 * opens a string, what stands there is an error, and no value of a statement that ever ran.
 */
function isInPlaceOfName(sql: string, [start, end]: readonly [number, number]): boolean {
  if (sql[start] !== '"') return false;
  if (sql[end] === '.' || sql[start - 1] === '.') return true;
  return /\b(?:from|join|into|update|table)\s+$/i.test(sql.slice(Math.max(0, start - 20), start));
}

function withoutSpans(sql: string, spans: ReadonlyArray<readonly [number, number]>): string {
  let code = '';
  let at = 0;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    code += `${sql.slice(at, Math.max(at, start))} `;
    at = Math.max(at, end);
  }
  return code + sql.slice(at);
}

function spansOf(offsets: readonly number[]): [number, number][] {
  const spans: [number, number][] = [];
  for (let at = 0; at + 1 < offsets.length; at += 2) {
    spans.push([offsets[at] as number, offsets[at + 1] as number]);
  }
  return spans;
}

function wordsOf(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

function countOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
