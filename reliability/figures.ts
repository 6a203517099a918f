import { availableParallelism } from 'node:os';
import type { Environment } from '../localstack/environment.ts';
import type { Outcome, Size } from './scenario.ts';

/** Everything that a run found out, and where. */
export interface Figures {
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly machine: { readonly cores: number; readonly node: string };
  readonly emulator: Pick<Environment['emulator'], 'name' | 'version'>;
  readonly size: Size;
  readonly outcomes: readonly Outcome[];
}

export function figuresOf(
  { emulator: { name, version } }: Environment,
  size: Size,
  outcomes: readonly Outcome[],
): Figures {
  return {
    at: new Date().toISOString(),
    machine: { cores: availableParallelism(), node: process.version },
    emulator: { name, version },
    size,
    outcomes,
  };
}

const COLUMNS: ReadonlyArray<readonly [heading: string, cell: (outcome: Outcome) => string]> = [
  ['scenario', ({ scenario }) => scenario],
  ['accepted', ({ accepted }) => String(accepted)],
  [
    'refused, by status',
    ({ refused }) =>
      Object.entries(refused)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ') || '–',
  ],
  ['stored', ({ stored }) => String(stored)],
  ['quarantined', ({ quarantined }) => String(quarantined)],
  ['duplicates', ({ duplicates }) => String(duplicates)],
  ['copies', ({ copies }) => String(copies)],
  ['faults met', ({ faults }) => String(faults)],
  ['drain, s', ({ drainSeconds }) => drainSeconds.toFixed(0)],
  ['total, s', ({ totalSeconds }) => totalSeconds.toFixed(0)],
  ['holds', ({ problems }) => (problems.length === 0 ? 'yes' : 'no')],
];

/** Where and how it was measured, in a sentence. */
export function describeRun({ at, machine, emulator, size }: Figures): string {
  return `${emulator.name} ${emulator.version}, ${at.slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores, Node ${machine.node}: ${size.events} events at ${size.senders} senders, faults of ${size.faultSeconds} s.`;
}

/** The outcomes as the rows of a Markdown table, each column as wide as its widest cell. */
export function tableOf(outcomes: readonly Outcome[]): string[] {
  const rows = [
    COLUMNS.map(([heading]) => heading),
    ...outcomes.map((outcome) => COLUMNS.map(([, cell]) => cell(outcome))),
  ];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head as string, line(widths.map((width) => '-'.repeat(width))), ...body];
}

/** A document with what stands between the marks of this emulator replaced by the figures. Throws where it has no marks. */
export function withFigures(markdown: string, figures: Figures): string {
  const [begin, end] = ['begin', 'end'].map((word) => `<!-- ${word} ${figures.emulator.name} -->`);
  const from = markdown.indexOf(begin as string);
  const to = markdown.indexOf(end as string);
  if (from === -1 || to < from) throw new Error(`no place for ${figures.emulator.name}`);
  const problems = figures.outcomes.flatMap(({ scenario, problems: found }) =>
    found.map((what) => `- ${scenario}: ${what}`),
  );
  const parts = [describeRun(figures), '', ...tableOf(figures.outcomes)];
  if (problems.length > 0) parts.push('', ...problems);
  return `${markdown.slice(0, from)}${begin}\n${parts.join('\n')}\n${markdown.slice(to)}`;
}
