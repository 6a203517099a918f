import { readFileSync, writeFileSync } from 'node:fs';
import { FINDING_KINDS } from '../lambdas/domain/findings.ts';
import { DAMAGES } from '../lambdas/domain/integrity/verify-damage.ts';
import { DEVIATIONS, REFUSALS } from '../lambdas/domain/openlineage/departures.ts';
import { STORE_QUALIFICATIONS } from '../lambdas/domain/qualification.ts';
import { ATTRIBUTE_NAMES, ATTRIBUTES } from '../lambdas/domain/redaction/attribute-table.ts';
import {
  FACET_HEAD,
  INTEGRATION_FACETS,
  KEPT_TAGS,
  STANDARD_FACETS,
} from '../lambdas/domain/redaction/facet-table.ts';
import { TRACE_DEVIATIONS, TRACE_REFUSALS } from '../lambdas/domain/traces/departures.ts';

/** A table that stands in code: the document and heading it is shown under, and its rows. */
interface GeneratedTable {
  readonly document: string;
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
}

type TreatmentRow = readonly [where: string, treatment: string, names: string];

const code = (names: string) =>
  names
    .split(' ')
    .map((name) => `\`${name}\``)
    .join(' ');

/** Every row of a table is as wide as its widest. */
const MAX_NAMES_CHARACTERS = 160;

/** The names in as many rows as they need. */
function partsOf(names: string): string[] {
  const parts = [''];
  for (const name of names.split(' ')) {
    const last = parts.at(-1) as string;
    if (last === '') parts[parts.length - 1] = name;
    else if (last.length + name.length < MAX_NAMES_CHARACTERS)
      parts[parts.length - 1] += ` ${name}`;
    else parts.push(name);
  }
  return parts;
}

/** What happens to the members of each of these: as the map in code has it. */
function treatmentRows(
  map: Readonly<Record<string, Readonly<Record<string, string>>>>,
): TreatmentRow[] {
  return Object.entries(map).flatMap(([name, members]) =>
    Object.entries(members).flatMap(([treatment, names]) =>
      partsOf(names).map((part): TreatmentRow => [code(name), treatment, code(part)]),
    ),
  );
}

const facetRows = treatmentRows({ '*': FACET_HEAD, ...STANDARD_FACETS, ...INTEGRATION_FACETS });
const attributeRows = treatmentRows({ ...ATTRIBUTES, '*': ATTRIBUTE_NAMES });

/** Members that are neither facets nor attributes; what these tables do not have is scanned. */
const memberRows: readonly TreatmentRow[] = [
  [
    'event',
    'identity',
    code(
      'producer schemaURL run.runId job.namespace job.name dataset.namespace dataset.name inputs.namespace inputs.name outputs.namespace outputs.name',
    ),
  ],
  ['event', 'scan', code('eventType eventTime')],
  [
    'export',
    'keep',
    code(
      'traceId spanId parentSpanId startTimeUnixNano endTimeUnixNano events.timeUnixNano links.traceId links.spanId',
    ),
  ],
  [
    'export',
    'scan',
    code('name kind flags events.name scope.name scope.version schemaUrl resource.schemaUrl'),
  ],
  ['export', 'error', code('status.message')],
  ['export', 'drop', code('traceState links.traceState')],
];

const keptOf = (rows: readonly TreatmentRow[], prefix = '') =>
  rows.flatMap(([where, treatment, names]) =>
    treatment === 'keep' ? [[prefix + where, names]] : [],
  );

/** Every table of the documentation that `npm run docs` writes. */
export const generatedTables: readonly GeneratedTable[] = [
  {
    document: 'docs/api.md',
    heading: 'Accepted with a deviation',
    columns: ['deviation', 'means'],
    rows: Object.entries(DEVIATIONS).map(([code, means]) => [`\`${code}\``, means]),
  },
  {
    document: 'docs/api.md',
    heading: 'Refused by a rule',
    columns: ['rule', 'means'],
    rows: Object.entries(REFUSALS).map(([code, means]) => [`\`${code}\``, means]),
  },
  {
    document: 'docs/api.md',
    heading: 'Exports accepted with a deviation',
    columns: ['deviation', 'means'],
    rows: Object.entries(TRACE_DEVIATIONS).map(([code, means]) => [`\`${code}\``, means]),
  },
  {
    document: 'docs/api.md',
    heading: 'Exports refused by a rule',
    columns: ['rule', 'means'],
    rows: Object.entries(TRACE_REFUSALS).map(([code, means]) => [`\`${code}\``, means]),
  },
  {
    document: 'docs/api.md',
    heading: 'Qualifications',
    columns: ['code', 'of', 'means'],
    rows: Object.entries(STORE_QUALIFICATIONS).map(([code, { of, means }]) => [
      `\`${code}\``,
      of,
      means,
    ]),
  },
  {
    document: 'docs/redaction.md',
    heading: 'Facets of an event',
    columns: ['facet', 'treatment', 'members'],
    rows: facetRows.filter(([, treatment]) => treatment !== 'keep'),
  },
  {
    document: 'docs/redaction.md',
    heading: 'Attributes of spans',
    columns: ['namespace', 'treatment', 'names'],
    rows: attributeRows,
  },
  {
    document: 'docs/redaction.md',
    heading: 'Members beside facets and attributes',
    columns: ['of', 'treatment', 'members'],
    rows: memberRows,
  },
  {
    document: 'docs/redaction.md',
    heading: 'What no rule covers',
    columns: ['where', 'fields'],
    rows: [
      ...keptOf([...facetRows, ...memberRows]),
      ...keptOf(attributeRows, 'attributes '),
      ['kept tags', code('tags.value')],
      ['keys of kept tags', code(['lineage.*', ...KEPT_TAGS].join(' '))],
    ],
  },
  {
    document: 'docs/integrity.md',
    heading: 'Kinds of damage',
    columns: ['code', 'damage', 'means'],
    rows: Object.entries(DAMAGES).map(([kind, { exitCode, means }]) => [
      String(exitCode),
      `\`${kind}\``,
      means,
    ]),
  },
  {
    document: 'docs/findings.md',
    heading: 'Findings',
    columns: ['kind', 'severity', 'opens', 'resolves'],
    rows: Object.entries(FINDING_KINDS).map(([kind, { severity, opens, resolves }]) => [
      `\`${kind}\``,
      severity,
      opens,
      resolves,
    ]),
  },
];

/**
 * A document with the first table below a heading replaced.
 * @throws Error when there is no such heading, or no table below it
 */
export function withTable(markdown: string, { heading, columns, rows }: GeneratedTable): string {
  const lines = markdown.split('\n');
  const from = lines.findIndex((line) => /^#+ /.test(line) && line.endsWith(` ${heading}`));
  const start = lines.findIndex((line, at) => at > from && line.startsWith('|'));
  const next = lines.findIndex((line, at) => at > from && /^#+ /.test(line));
  if (from === -1 || start === -1 || (next !== -1 && next < start)) {
    throw new Error(`no table below the heading ${heading}`);
  }
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  lines.splice(start, length, ...tableLines([columns, ...rows]));
  return lines.join('\n');
}

function tableLines(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = (rows[0] as readonly string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [head, ...body] = rows.map(line);
  return [head as string, rule, ...body];
}

if (import.meta.url === `file://${process.argv[1]}`) {
  for (const table of generatedTables) {
    const file = new URL(`../${table.document}`, import.meta.url);
    writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
  }
}
