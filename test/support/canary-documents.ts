import { type CanaryPlace, canaryEvents, type Fill } from './canary-events.ts';
import { canaryExport, EXPORT_SHAPES } from './canary-exports.ts';

/** A document with a text in every place, as it is sent. */
export interface CanaryDocument {
  readonly name: string;
  readonly kind: 'event' | 'export';
  readonly text: string;
}

/** An event of each kind, and an export for each place of attributes and each form of their values. */
export function canaryDocuments(fill: Fill): readonly CanaryDocument[] {
  return [
    ...canaryEvents(fill).map(([name, event]) => ({
      ...{ name: `${name} event`, kind: 'event' as const, text: JSON.stringify(event) },
    })),
    ...EXPORT_SHAPES.map(([slot, form]) => ({
      name: `attributes of the ${slot}, ${form}`,
      kind: 'export' as const,
      text: JSON.stringify(canaryExport(fill, slot, form)),
    })),
  ];
}

/** A text whose loss says that a rule covers the place: of a statement, a part of one or a command only the values are. */
export function plainForm({ treatment }: CanaryPlace, canary: string): string {
  if (treatment === 'sql') return `SELECT a FROM t WHERE b = '${canary}'`;
  if (treatment === 'expression') return `a = '${canary}'`;
  if (treatment === 'command') return `run --password ${canary}`;
  return canary;
}

/** Ids and times must be ones, or the document is refused. Digits and letters a to f of a number, as many as asked for. */
const FORMED: Readonly<Record<string, (serial: number) => string>> = {
  'run.runId': (serial) => `5e7a1c0d-0000-4000-8000-${hex(serial, 12)}`,
  eventTime: (serial) => `2026-11-29T10:00:00.${digits(serial, 9)}Z`,
  traceId: (serial) => `5e7a1c0d00000000${hex(serial, 16)}`,
  spanId: (serial) => `5e7a${hex(serial, 12)}`,
  parentSpanId: (serial) => `5e7a${hex(serial, 12)}`,
  timeUnixNano: (serial) => `1795${digits(serial, 15)}`,
  startTimeUnixNano: (serial) => `1795${digits(serial, 15)}`,
  endTimeUnixNano: (serial) => `1795${digits(serial, 15)}`,
};

/** The id or time for a place that takes nothing else. */
export function formedText({ where, path }: CanaryPlace, serial: number): string | undefined {
  if (where !== 'event' && where !== 'export') return undefined;
  return (FORMED[path] ?? FORMED[path.slice(path.lastIndexOf('.') + 1)])?.(serial);
}

const hex = (serial: number, length: number) => serial.toString(16).padStart(length, '0');
const digits = (serial: number, length: number) => String(serial).padStart(length, '0');

/** What of a text a rule takes away by the place it stands in, whatever the text is. */
const COVERED: ReadonlySet<CanaryPlace['treatment']> = new Set([
  'sql',
  'expression',
  'error',
  'command',
  'pseudonym',
  'drop',
]);

export function isCovered({ where, treatment }: CanaryPlace): boolean {
  return COVERED.has(treatment) || where === 'standard facets';
}
