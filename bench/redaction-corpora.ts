import { readFileSync } from 'node:fs';
import { publicStatements } from '../test/unit/redaction/sql/corpus.ts';
import {
  canary,
  Dice,
  FAMILIES,
  piecesOf,
  statement,
} from '../test/unit/redaction/sql/statement-generator.ts';

/** A statement of which is known what must not stay and what should. */
export interface LabelledStatement {
  readonly sql: string;
  /** As an adapter or a driver calls the database; `unknown` when nothing says it. */
  readonly dialect: string;
  /** May stand nowhere in a redacted text. */
  readonly secrets: readonly string[];
  /** Short ones that may be a part of something else, but no word of their own. */
  readonly secretWords: readonly string[];
  /** Names that an investigator needs. */
  readonly names: readonly string[];
}

/** Shorter words of values are parts of many names. */
const SHORTEST_SECRET = 4;
const GENERATED_OF_FAMILY = 200;
const SEED = 1;

/** What redactors are compared over, by the name of the corpus. */
export function corpora(): Readonly<Record<string, readonly LabelledStatement[]>> {
  const families = Object.keys(FAMILIES);
  return {
    'public statements': publicCorpus(),
    'collected cases': readCases('../test/fixtures/redaction/cases.jsonl'),
    'generated, PostgreSQL': generated(['postgres']),
    'generated, all dialects': generated(families),
  };
}

/** One labelled statement a line, in the format of the collected cases. */
function readCases(path: string): LabelledStatement[] {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'sql')
    .map((given) => ({
      sql: given.sql,
      dialect: given.dialect,
      secrets: [...given.secrets, ...given.secrets_comment],
      secretWords: given.secrets_token,
      // Some texts can only be redacted in part.
      names: given.expect ? [] : given.keep.flatMap(wordsOf),
    }));
}

/** Words of labelled values and comments that the code beside them does not have, and words of names. */
function publicCorpus(): LabelledStatement[] {
  const known = publicStatements().filter(({ dialect }) => dialect !== 'mixed');
  return known.map(({ sql, dialect, values, comments, names }) => {
    const kept = new Set(textsAt(sql, names).flatMap(wordsOf));
    const hidden = [...textsAt(sql, values), ...textsAt(sql, comments)].flatMap(wordsOf);
    const code = new Set(wordsOf(withoutTexts(sql, [values, comments])));
    return {
      sql,
      dialect,
      secrets: [],
      secretWords: hidden.filter((word) => word.length >= SHORTEST_SECRET && !code.has(word)),
      names: [...kept],
    };
  });
}

/** Texts at pairs of offsets, start and end. */
function textsAt(sql: string, offsets: readonly number[]): string[] {
  return offsets.flatMap((start, at) => (at % 2 === 0 ? [sql.slice(start, offsets[at + 1])] : []));
}

function withoutTexts(sql: string, spans: readonly (readonly number[])[]): string {
  const characters = sql.split('');
  for (const offsets of spans) {
    for (let at = 0; at < offsets.length; at += 2) {
      characters.fill(' ', offsets[at], offsets[at + 1]);
    }
  }
  return characters.join('');
}

/** Statements around canaries, of which no piece may stay. */
function generated(families: readonly string[]): LabelledStatement[] {
  return families.flatMap((name) => {
    const family = FAMILIES[name] as (typeof FAMILIES)[string];
    return Array.from({ length: GENERATED_OF_FAMILY }, (_, index) => {
      const dice = new Dice(SEED + index);
      const secret = canary(dice);
      return {
        sql: statement(family, dice, secret),
        dialect: family.dialects[0] as string,
        secrets: piecesOf(secret),
        secretWords: [],
        names: [],
      };
    });
  });
}

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}
