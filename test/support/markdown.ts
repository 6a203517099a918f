import { readFileSync } from 'node:fs';

/** A document of this repository, by its path from the root. */
export function readDocument(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Cells of every table row below a heading, up to the next heading; backticks are left out. */
export function rowsUnder(markdown: string, heading: string): string[][] {
  const section = markdown.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`no heading ${heading}`);
  return tableRows(section);
}

const RULE = /^\|[\s|:-]+\|$/;

/** Cells of every table row, heads and rules left out; backticks are left out. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n');
  return lines
    .filter(
      (line, at) => line.startsWith('|') && !RULE.test(line) && !RULE.test(lines[at + 1] ?? ''),
    )
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

/** Anchors of all headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.match(/^#+ .+$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}
