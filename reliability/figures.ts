import { availableParallelism } from 'node:os';
import type { Environment } from '../localstack/environment.ts';
import type { Outcome, Size } from './scenario.ts';

/** What one scenario found out, and where. */
export interface Figures extends Outcome {
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly machine: { readonly cores: number; readonly node: string };
  readonly emulator: Pick<Environment['emulator'], 'name' | 'version'>;
  readonly size: Size;
}

export function figuresOf(
  { emulator: { name, version } }: Environment,
  size: Size,
  outcome: Outcome,
): Figures {
  return {
    ...outcome,
    at: new Date().toISOString(),
    machine: { cores: availableParallelism(), node: process.version },
    emulator: { name, version },
    size,
  };
}

/** The first one names its row. */
const COLUMNS: ReadonlyArray<readonly [heading: string, cell: (figures: Figures) => string]> = [
  ['scenario', ({ scenario }) => scenario],
  ['accepted', ({ accepted }) => String(accepted)],
  ['refused, by status', ({ refused }) => refusals(refused)],
  ['stored', ({ stored }) => String(stored)],
  ['quarantined', ({ quarantined }) => String(quarantined)],
  ['duplicates', ({ duplicates }) => String(duplicates)],
  ['copies', ({ copies }) => String(copies)],
  ['faults met', ({ faults }) => String(faults)],
  ['drain, s', ({ drainSeconds }) => drainSeconds.toFixed(0)],
  ['total, s', ({ totalSeconds }) => totalSeconds.toFixed(0)],
  ['holds', ({ problems }) => (problems.length === 0 ? 'yes' : `no: ${problems.join('; ')}`)],
  ['senders, fault', ({ size }) => `${size.senders}, ${size.faultSeconds} s`],
  ['at (UTC), on', (figures) => `${figures.at.slice(0, 16).replace('T', ' ')}, ${place(figures)}`],
];

function refusals(refused: Outcome['refused']): string {
  const counts = Object.entries(refused).map(([status, count]) => `${count} × ${status}`);
  return counts.join(', ') || '–';
}

function place({ emulator, machine }: Figures): string {
  return `${emulator.name} ${emulator.version}, ${machine.cores} cores, Node ${machine.node}`;
}

type Row = readonly string[];

function rowOf(figures: Figures): Row {
  return COLUMNS.map(([, cell]) => cell(figures));
}

/** The figures as the lines of a Markdown table. */
export function tableOf(all: readonly Figures[]): string[] {
  return tableLines(all.map(rowOf));
}

/** Each column as wide as its widest cell. */
function tableLines(body: readonly Row[]): string[] {
  const rows = [COLUMNS.map(([heading]) => heading), ...body];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const line = (cells: Row) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
  const [head, ...others] = rows.map(line);
  return [head as string, line(widths.map((width) => '-'.repeat(width))), ...others];
}

/**
 * A document with the row of a scenario set in the table of its emulator, which stands between two marks; other rows stay.
 * @throws Error when the document has no marks for the emulator
 */
export function withFigures(markdown: string, figures: Figures): string {
  const [begin, end] = ['begin', 'end'].map((word) => `<!-- ${word} ${figures.emulator.name} -->`);
  const from = markdown.indexOf(begin as string);
  const to = markdown.indexOf(end as string);
  if (from === -1 || to < from) throw new Error(`no place for ${figures.emulator.name}`);
  const rows = rowsIn(markdown.slice(from, to));
  const row = rowOf(figures);
  const others = rows.filter(([scenario]) => scenario !== figures.scenario);
  const at = rows.findIndex(([scenario]) => scenario === figures.scenario);
  others.splice(at === -1 ? others.length : at, 0, row);
  const table = tableLines(others).join('\n');
  return `${markdown.slice(0, from)}${begin}\n\n${table}\n\n${markdown.slice(to)}`;
}

/** The rows of a table of ours; of one with other columns none, since they cannot be told apart. */
function rowsIn(part: string): Row[] {
  const [head, , ...body] = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const isOurs = head?.join() === COLUMNS.map(([heading]) => heading).join();
  return isOurs ? body : [];
}
