import { describe, expect, it } from 'vitest';
import { judge, publicStatements, tally, total } from './corpus.ts';

const FEWEST_STATEMENTS = 3_400;
const FEWEST_PROJECTS = 20;
/** The share of names that may go when the dialect is known, and when it is not. */
const LOST_AT_MOST = { known: 0.02, unknown: 0.05 };

const statements = publicStatements();

/** Statements of which a piece of a value or a comment is left. */
function leaks(isDialectKnown: boolean): string[] {
  return statements
    .filter(({ dialect }) => !isDialectKnown || dialect !== 'mixed')
    .flatMap((statement) => {
      const dialect = isDialectKnown ? statement.dialect : undefined;
      const { leaked, result } = judge(statement.sql, statement, dialect);
      return leaked.length > 0
        ? [`${statement.project}, ${dialect}: ${leaked} in ${result.text} of ${statement.sql}`]
        : [];
    });
}

describe('the measure', () => {
  const sql = "SELECT a FROM t WHERE b = 'a' -- 7";
  const labels = { values: [26, 29], comments: [30, 34], names: [7, 8, 14, 15, 22, 23] };

  it('finds a value that reads like a name, and a comment', () => {
    const without = { ...labels, values: [] };
    expect(judge(sql, labels, 'postgres')).toMatchObject({ leaked: [], lost: [], names: 3 });
    expect(judge(sql, { ...without, values: [7, 8, 26, 29] }, 'postgres').leaked).toEqual(['a']);
    expect(judge(sql, { ...without, comments: [22, 23] }, 'postgres').leaked).toEqual(['b']);
  });

  it('finds a name that went', () => {
    expect(judge(sql, { ...labels, names: [7, 8, 27, 28] }, 'postgres').lost).toEqual(['a']);
  });
});

describe('statements of public projects', () => {
  it('are many, of many, each with a value', () => {
    expect(statements.length).toBeGreaterThanOrEqual(FEWEST_STATEMENTS);
    expect(new Set(statements.map(({ project }) => project)).size).toBeGreaterThanOrEqual(
      FEWEST_PROJECTS,
    );
    expect(statements.every(({ values }) => values.length > 0)).toBe(true);
  });

  it('let no value and no comment through, whether their dialect is known or not', () => {
    expect(leaks(true)).toEqual([]);
    expect(leaks(false)).toEqual([]);
  });

  it('keep their names when the dialect is known', () => {
    const { names, lost } = total(tally(statements, true));
    expect(lost / names).toBeLessThanOrEqual(LOST_AT_MOST.known);
  });

  // In double quotes stands a value to some dialects: those names go by rule, except where a table stands.
  it('keep those without double quotes when it is not', () => {
    const { names, lost, lostInDoubleQuotes } = total(tally(statements, false));
    expect((lost - lostInDoubleQuotes) / names).toBeLessThanOrEqual(LOST_AT_MOST.unknown);
  });
});
