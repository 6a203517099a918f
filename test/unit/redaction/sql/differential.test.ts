import { describe, expect, it } from 'vitest';
import { seeded } from '../../../support/seeded.ts';
import { type Judgement, judge, publicStatements } from './corpus.ts';
import { secondOpinion } from './second-opinion.ts';
import { canary, Dice, FAMILIES, statement } from './statement-generator.ts';

interface Case extends Judgement {
  readonly sql: string;
  readonly dialect: string;
}

/** Why two tokenizers differ, and in how many statements of each 10,000 at most. */
interface Kind {
  readonly why: string;
  readonly atMost: number;
  readonly fits: (found: Case) => boolean;
}

const PREFIX = /^(?:[nebxruq]|nq|r?b)$/i;
const hasRule =
  (...rules: string[]) =>
  ({ result }: Case) =>
    rules.some((rule) => result.rules.includes(rule));

/** We keep what the other takes for a value or a comment. First fit counts. */
const KEPT: Readonly<Record<string, Kind>> = {
  prefix: {
    why: "it takes the letters of U&'..' for a part of the value",
    atMost: 300,
    fits: ({ leaked }) => leaked.every((word) => PREFIX.test(word)),
  },
  copyRows: {
    why: 'it reads rows of COPY as SQL, so that a quote in one hides the next statement',
    atMost: 10,
    fits: ({ sql }) => /\bstdin\b[^;]*;/i.test(sql),
  },
  typographicQuote: {
    why: 'a typographic quote in a comment hides from it what follows the comment',
    atMost: 10,
    fits: ({ sql }) => /[‘’“”]/u.test(sql),
  },
  alternativeQuotes: {
    why: "it ends q'[..]' of Oracle at a single quote inside, and reads the rest as it comes",
    atMost: 20,
    fits: ({ sql, dialect }) => dialect.startsWith('oracle') && /\bn?q'/i.test(sql),
  },
  nestedComment: {
    why: 'it ends a comment of Redshift in a comment at the first closing',
    atMost: 10,
    fits: ({ sql }) => /\/\*[^*]*\/\*/.test(sql),
  },
  versionedComment: {
    why: 'the inside of /*! is code to MySQL; it takes it for a comment',
    atMost: 60,
    fits: ({ sql }) => /\/\*M?!/.test(sql),
  },
  doubleMinus: {
    why: 'MySQL subtracts where no white space follows --; it begins a comment',
    atMost: 60,
    fits: ({ sql }) => /--\d/.test(sql),
  },
  templateComment: {
    why: 'a template in {# #} is a comment from # on to it, where # begins one',
    atMost: 60,
    fits: ({ sql }) => sql.includes('{#'),
  },
  commentInHashComment: {
    why: 'it begins a block comment inside one that # began',
    atMost: 20,
    fits: ({ sql }) => /#[^\n]*\/\*/.test(sql),
  },
};

/** We drop what the other takes for a name. */
const LOST: Readonly<Record<string, Kind>> = {
  template: {
    why: 'it reads what is between {{ and }} as SQL; we keep nothing of a template',
    atMost: 450,
    fits: hasRule('template'),
  },
  statementRule: {
    why: 'a bare word that may be a value where it stands, such as an option or a role: only a rule for the statement knows',
    atMost: 260,
    fits: hasRule('bare_value'),
  },
  data: {
    why: 'rows of COPY, paths of stages, data in formats of their own',
    atMost: 20,
    fits: hasRule('data'),
  },
  doubleQuotes: {
    why: 'in SQLite and SQL Server a word in double quotes may be a string, which it takes for a name',
    atMost: 80,
    fits: ({ lost, lostInDoubleQuotes }) => lost.length === lostInDoubleQuotes,
  },
  characterSet: {
    why: "the character set of _utf8'..' goes with the string; it takes it for a name",
    atMost: 10,
    fits: ({ lost }) => lost.every((word) => /^_\w+$/.test(word)),
  },
  noStatement: {
    why: 'no verb that we know: part of a program, or cut off at its head',
    atMost: 40,
    fits: hasRule('no_statement'),
  },
  unsure: {
    why: 'the text has a second reading, or ends inside a literal',
    atMost: 20,
    fits: hasRule('ambiguous', 'cut'),
  },
};

/** Cases of each kind; those of none are named. */
function sorted(cases: readonly Case[], kinds: Readonly<Record<string, Kind>>) {
  const counts: Record<string, number> = {};
  const unexplained: string[] = [];
  for (const found of cases) {
    const kind = Object.keys(kinds).find((name) => kinds[name]?.fits(found));
    if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
    else unexplained.push(`${found.dialect}: ${found.sql} -> ${found.result.text}`);
  }
  return { counts, unexplained };
}

function expectFewOfEach(
  counts: Readonly<Record<string, number>>,
  kinds: Readonly<Record<string, Kind>>,
  statements: number,
): void {
  for (const [name, { why, atMost }] of Object.entries(kinds)) {
    const share = (10_000 * (counts[name] ?? 0)) / statements;
    expect(share, `${name}: ${why}`).toBeLessThanOrEqual(atMost);
  }
}

const { seed } = seeded(1);
const GENERATED_OF_A_FAMILY = 1_000;
/** Of the public statements the other reads nearly all. */
const UNREAD_AT_MOST = 0.005;

describe('another tokenizer and ours', () => {
  const statements = publicStatements();
  const read: Case[] = statements.flatMap(({ sql, dialect }) => {
    const labels = secondOpinion(sql, dialect);
    const known = dialect === 'mixed' ? undefined : dialect;
    return labels ? [{ sql, dialect, ...judge(sql, labels, known) }] : [];
  });

  it('read the same statements', () => {
    expect(1 - read.length / statements.length).toBeLessThanOrEqual(UNREAD_AT_MOST);
  });

  it('differ on values of public statements only in ways that are explained', () => {
    const { counts, unexplained } = sorted(
      read.filter(({ leaked }) => leaked.length > 0),
      KEPT,
    );
    expect(unexplained).toEqual([]);
    expectFewOfEach(counts, KEPT, read.length);
  });

  it('differ on their names only in ways that are explained', () => {
    const { counts, unexplained } = sorted(
      read.filter(({ lost }) => lost.length > 0),
      LOST,
    );
    expect(unexplained).toEqual([]);
    expect(Object.keys(counts).sort()).toEqual(Object.keys(LOST).sort());
    expectFewOfEach(counts, LOST, read.length);
  });

  it('differ on values of generated statements only in ways that are explained', () => {
    const generated: Case[] = [];
    for (const family of Object.values(FAMILIES)) {
      for (let index = 0; index < GENERATED_OF_A_FAMILY; index++) {
        const dice = new Dice(seed + index);
        const sql = statement(family, dice, canary(dice));
        const dialect = dice.pick(family.dialects);
        const labels = secondOpinion(sql, dialect);
        if (labels) generated.push({ sql, dialect, ...judge(sql, labels, dialect) });
      }
    }
    const { counts, unexplained } = sorted(
      generated.filter(({ leaked }) => leaked.length > 0),
      KEPT,
    );
    expect(unexplained, `seed ${seed}`).toEqual([]);
    expectFewOfEach(counts, KEPT, generated.length);
  });
});
