import { publicStatements, type Tally, tally, total } from '../test/unit/redaction/sql/corpus.ts';
import type { Benchmark } from './benchmark.ts';

/** What redaction leaves of statements of public projects, by project: leaks, and names lost. */
export const corpus: Benchmark = {
  summary: 'leaks and names lost over the statements of public projects',

  async run() {
    const statements = publicStatements();
    const known = tally(statements, true);
    const unknown = tally(statements, false);
    const rows = [...unknown].map(([project, open]) => row(project, known.get(project), open));
    rows.push(row('all', total(known), total(unknown)));
    return {
      rows,
      notes: [
        'goals: no leak; of all names at most 2 % lost with a known dialect and 5 % without, those in double quotes aside',
        'a leak: a statement with a word or a number of a value or a comment that is still there',
      ],
    };
  },
};

function row(project: string, known: Tally | undefined, unknown: Tally) {
  return {
    project,
    statements: unknown.statements,
    values: unknown.values,
    names: unknown.names,
    leaks: (known?.leaks ?? 0) + unknown.leaks,
    ...(known ? { lostPercent: percent(known.lost, known.names) } : {}),
    lostPercentUnknown: percent(unknown.lost, unknown.names),
    lostPercentUnknownUnquoted: percent(unknown.lost - unknown.lostInDoubleQuotes, unknown.names),
  };
}

function percent(part: number, whole: number): number {
  return Math.round((10_000 * part) / whole) / 100;
}
