import type { Cell, Result } from './benchmark.ts';

/** A result as an aligned table with its notes below, and its parts below that. */
export function renderResult(name: string, { emulator, rows, notes, parts = {} }: Result): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [
    columns.map(heading),
    ...rows.map((row) => columns.map((column) => render(row[column]))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const isText = columns.map((column) => rows.some((row) => typeof row[column] === 'string'));
  const table = lines.map((line) =>
    line
      .map((cell, i) =>
        isText[i] ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number),
      )
      .join('  ')
      .trimEnd(),
  );
  return [
    ...(emulator === undefined ? [] : [emulator]),
    name,
    ...table.map((line) => `  ${line}`),
    ...notes.map((note) => `  - ${note}`),
    ...Object.entries(parts).map(
      ([part, result]) => `\n${renderResult(`${name}, ${part}`, result)}`,
    ),
  ].join('\n');
}

/** `initMillis` reads `init millis`. */
function heading(column: string): string {
  return column.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function render(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return round(cell);
  return `${round(cell.median)} (${round(cell.low)}-${round(cell.high)})`;
}

function round(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}
