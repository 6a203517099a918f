import { readFileSync } from 'node:fs';
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

const GENERATED_OF_FAMILY = 200;
const SEED = 1;

/** What redactors are compared over, by the name of the corpus. */
export function corpora(): Readonly<Record<string, readonly LabelledStatement[]>> {
  const families = Object.keys(FAMILIES);
  return {
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
      names: given.expect ? [] : given.keep,
    }));
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
