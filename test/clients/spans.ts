/** A span in OTLP/JSON; only what the tests look at. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind?: number | string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly events?: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes?: readonly OtlpAttribute[];
  }[];
  readonly status?: { readonly code?: number | string; readonly message?: string };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Every span anywhere in a document, whatever it is wrapped in. */
export function spansIn(value: unknown): OtlpSpan[] {
  if (Array.isArray(value)) return value.flatMap(spansIn);
  if (value === null || typeof value !== 'object') return [];
  if ('spanId' in value && 'startTimeUnixNano' in value) return [value as OtlpSpan];
  return Object.values(value).flatMap(spansIn);
}

/** The spans that a program printed as `TOLD <export request in OTLP/JSON>`. */
export function toldSpans(output: string): OtlpSpan[] {
  return [...output.matchAll(/^TOLD (.+)$/gm)].flatMap(([, request]) =>
    spansIn(JSON.parse(request as string)),
  );
}

const REDACTED = new Set(['db.query.text', 'exception.message', 'exception.stacktrace']);
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

/**
 * One form for what the encodings write differently: 64-bit integers as text or number, enums as number or
 * name, defaults written or left out. Values that a redaction rule covers are blanked.
 */
export function canonical(span: OtlpSpan) {
  const { traceId, spanId, parentSpanId = '', name, kind, status } = span;
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: enumName(KINDS, 'SPAN_KIND_', kind),
    startTimeUnixNano: String(span.startTimeUnixNano),
    endTimeUnixNano: String(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: String(event.timeUnixNano),
      attributes: attributesOf(event.attributes),
    })),
    status: enumName(STATUSES, 'STATUS_CODE_', status?.code),
  };
}

function enumName(names: readonly string[], prefix: string, value: number | string = 0): string {
  return typeof value === 'number' ? (names[value] ?? '?') : value.replace(prefix, '');
}

function attributesOf(attributes: readonly OtlpAttribute[] = []): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[type, content] = ['', '']] = Object.entries(value);
      return [key, REDACTED.has(key) ? '?' : `${type} ${String(content)}`];
    }),
  );
}
