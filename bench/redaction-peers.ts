import { _INTERNAL_sanitizeSqlQuery as sanitizeSqlQuery } from '@sentry/core';
import { redactSql } from '../lambdas/domain/redaction/sql/redact-sql.ts';
import type { Result } from './benchmark.ts';
import { buildGoSqllexer, type GoSqllexer } from './go-sqllexer.ts';
import { type LabelledStatement, wordsOf } from './redaction-corpora.ts';
import { spreadOf } from './statistics.ts';

/** As many as the program of go-sqllexer makes. */
const PASSES = 15;
/** In a short one the engine still compiles. */
const WARM_UP_MILLIS = 1_000;

type Corpora = Readonly<Record<string, readonly LabelledStatement[]>>;

interface Measured {
  readonly texts: readonly string[];
  /** Of each pass over all statements. */
  readonly micros: readonly number[];
}

type Redactor = (statements: readonly LabelledStatement[]) => Measured;

/** Other redactors of SQL beside ours, over the same labelled statements: what they let through, and their time. */
export function measurePeers(corpora: Corpora): Result {
  const goSqllexer = buildGoSqllexer();
  try {
    const redactors = redactorsWith(goSqllexer);
    const rows = Object.entries(corpora).flatMap(([corpus, statements]) =>
      compareOver(corpus, statements, redactors),
    );
    return {
      rows,
      notes: [
        'leaks: statements of which a labelled value stays in the text, in whole or in part; names lost: words of names that should stay and do not, those with a pseudonym in their place among them',
        'ratio: time over that of this redactor, which also makes facts, shape and a check of the output; go-sqllexer runs in a process of its own',
        ...(goSqllexer ? [] : ['go-sqllexer: not here, it needs Go']),
      ],
    };
  } finally {
    goSqllexer?.remove();
  }
}

function redactorsWith(goSqllexer: GoSqllexer | undefined): Readonly<Record<string, Redactor>> {
  const pseudonym = () => 'id_0a1b2c3d';
  return {
    'this redactor': inProcess(({ sql, dialect }) => redactSql(sql, { dialect, pseudonym }).text),
    'this redactor, dialect unknown': inProcess(({ sql }) => redactSql(sql, { pseudonym }).text),
    '@sentry/core 10.78.0': inProcess(({ sql }) => sanitizeSqlQuery(sql)),
    ...(goSqllexer ? { 'go-sqllexer 0.2.6': goSqllexer.run } : {}),
  };
}

function inProcess(redact: (statement: LabelledStatement) => string): Redactor {
  return (statements) => {
    const pass = () => statements.map(redact);
    const warmUntil = performance.now() + WARM_UP_MILLIS;
    while (performance.now() < warmUntil) pass();
    let texts: string[] = [];
    const micros = Array.from({ length: PASSES }, () => {
      const start = performance.now();
      texts = pass();
      return (performance.now() - start) * 1_000;
    });
    return { texts, micros };
  };
}

function compareOver(
  corpus: string,
  statements: readonly LabelledStatement[],
  redactors: Readonly<Record<string, Redactor>>,
) {
  const characters = statements.reduce((sum, { sql }) => sum + sql.length, 0);
  const names = statements.reduce((sum, statement) => sum + statement.names.length, 0);
  let ours = 0;
  return Object.entries(redactors).map(([redactor, redact]) => {
    const { texts, micros } = redact(statements);
    const { median } = spreadOf(micros);
    ours ||= median;
    const pairs = statements.map((statement, i) => ({ statement, text: texts[i] as string }));
    const lost = pairs.reduce((sum, { statement, text }) => sum + namesLost(statement, text), 0);
    return {
      corpus,
      redactor,
      statements: statements.length,
      leaks: pairs.filter(({ statement, text }) => leaks(statement, text)).length,
      namesLost: names === 0 ? '' : `${lost} of ${names}`,
      microsPerStatement: median / statements.length,
      megabytesPerSecond: characters / median,
      ratio: median / ours,
    };
  });
}

function leaks({ secrets, secretWords }: LabelledStatement, text: string): boolean {
  if (secrets.some((secret) => text.includes(secret))) return true;
  const words = new Set(wordsOf(text));
  return secretWords.some((word) => words.has(word));
}

/** Redactors may change the case of words. */
function namesLost({ names }: LabelledStatement, text: string): number {
  const words = new Set(wordsOf(text.toLowerCase()));
  return names.filter((name) => !words.has(name.toLowerCase())).length;
}
