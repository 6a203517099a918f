import { rulesOf } from './change-rules.ts';
import type { Dialect } from './dialect.ts';
import { dialectOf } from './dialects.ts';
import { emit, PLACEHOLDER } from './emit.ts';
import { factsOf, type SqlFacts } from './facts.ts';
import { hashStep, keywordAt, keywordText, VERBS } from './keywords.ts';
import { readCommon } from './readings.ts';
import { shapeOf } from './shape.ts';
import { applyStatementRules } from './statement-rules.ts';
import { CUT } from './tokens.ts';
import { isClean } from './verifier.ts';

export interface RedactSqlOptions {
  /** Name of a database as an adapter, driver, span or namespace gives it; without one all are considered. */
  readonly dialect?: string;
  /** Stands for a name that is data. Must be a short word, the same for the same name. */
  readonly pseudonym: (identifier: string) => string;
}

export interface RedactedSql {
  readonly text: string;
  /** Canonical name of the dialect whose rules were used, or `unknown`. */
  readonly dialect: string;
  /** `partial`: something that may be code was dropped. `skeleton`: no more than the verb is left. */
  readonly mode: 'full' | 'partial' | 'skeleton';
  /** Why something was changed, sorted. */
  readonly rules: readonly string[];
  readonly facts: SqlFacts;
  /** Canonical text for a keyed fingerprint; only of a text that was read in full. */
  readonly shape?: string;
}

/**
 * Characters of the longest statement that is read. It bounds what a single value may cost; longer
 * statements are generated ones, mostly rows.
 */
const MOST_CHARACTERS = 256 * 1024;
const LONGEST_VERB = 16;
const VERB = /^[A-Za-z]+/;

/**
 * Takes every value out of SQL text and keeps names, keywords and structure. Where the text leaves
 * more than one reading, only what is code in all of them stays. Redacting the result changes nothing.
 * Linear in the length of the text; never throws for any text.
 */
export function redactSql(sql: string, options: RedactSqlOptions): RedactedSql {
  const dialect = dialectOf(options.dialect);
  if (sql.length > MOST_CHARACTERS) return skeleton(sql, dialect, 'too_long');
  const { tokens, verbs, isAmbiguous } = readCommon(sql, dialect, applyStatementRules);
  if (verbs.length === 0) return skeleton(sql, dialect, 'no_statement');
  const { text, hasDataName } = emit(sql, tokens, options.pseudonym);
  if (!isClean(text)) return skeleton(sql, dialect, 'not_verified');
  const kinds = tokens.countKinds();
  const isCut = tokens.kind(tokens.solidBefore(tokens.count)) === CUT;
  const isSure = !isAmbiguous && !isCut;
  return {
    text,
    dialect: dialect.name,
    mode: isSure ? 'full' : 'partial',
    rules: rulesOf(kinds, { isAmbiguous, hasDataName }),
    facts: factsOf(sql, { tokens, kinds, verbs, isSure }, options.pseudonym),
    ...(isSure ? { shape: shapeOf(text) } : {}),
  };
}

/** The verb, if the text begins with one, and nothing else. */
function skeleton(sql: string, { name }: Dialect, rule: string): RedactedSql {
  const verb = verbAt(sql.trimStart().slice(0, LONGEST_VERB));
  return {
    text: verb === undefined ? PLACEHOLDER : `${verb} ${PLACEHOLDER}`,
    dialect: name,
    mode: 'skeleton',
    rules: [rule],
    facts: {
      verbs: verb === undefined ? [] : [verb],
      literals: { string: 0, number: 0, boolean: 0, bareValue: 0, data: 0 },
    },
  };
}

function verbAt(head: string): string | undefined {
  const word = VERB.exec(head)?.[0] ?? '';
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = hashStep(hash, word.charCodeAt(at));
  const found = keywordAt(hash, word, 0, word.length);
  return VERBS[found] === 1 ? keywordText(found) : undefined;
}
