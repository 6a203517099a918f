import type { JsonDocument } from '../json/document.ts';
import { NONE, type Node } from '../json/scanner.ts';
import type { SpanRule, TraceDeviation } from './departures.ts';
import { spanIdOf, traceIdOf } from './ids.ts';
import { isWrittenTwice, otlpMember, snakeCase } from './members.ts';
import { readRunIds } from './span-runs.ts';

/** What a span says of itself, as far as the store must know it. */
export interface Span {
  /** Lower case, as is every id here; the stored bytes keep the spelling of the sender. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** What the span flags say of the parent, where they know: true when it belongs to another process. */
  readonly parentIsRemote?: boolean;
  readonly name?: string;
  /** Run ids that the span carries, as sent, each once. */
  readonly runIds: readonly string[];
  /** Nanoseconds since 1970, decimal: beyond what a double holds. */
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind?: number;
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode?: number;
}

/** SpanFlags of OTLP: whether the next bit is known, and whether the parent is remote. */
const PARENT_IS_KNOWN_FLAG = 0x100;
const PARENT_IS_REMOTE_FLAG = 0x200;

/** What a span is filed under. */
const ID_MEMBERS = ['traceId', 'spanId'];

const SPAN_KINDS = [
  ...['SPAN_KIND_UNSPECIFIED', 'SPAN_KIND_INTERNAL', 'SPAN_KIND_SERVER', 'SPAN_KIND_CLIENT'],
  ...['SPAN_KIND_PRODUCER', 'SPAN_KIND_CONSUMER'],
];
const UNREADABLE = {
  flags: 'flags_unreadable',
  startTimeUnixNano: 'start_time_unix_nano_unreadable',
  endTimeUnixNano: 'end_time_unix_nano_unreadable',
} as const;

const STATUS_CODES = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'];

/** fixed64 has at most 20 decimal digits. */
const UNSIGNED_64 = /^\d{1,20}$/;

const ALL_ZERO = /^0+$/;

/** Reads the spans of one document and collects what departs from the specification in them. */
export class SpanReader {
  readonly deviations = new Set<TraceDeviation>();
  readonly #document: JsonDocument;
  readonly #runIdAttributes: ReadonlySet<string>;

  constructor(document: JsonDocument, runIdAttributes: readonly string[]) {
    this.#document = document;
    this.#runIdAttributes = new Set(runIdAttributes);
  }

  /** The span, or the rule that keeps it from being filed. */
  read(node: Node): Span | SpanRule {
    const document = this.#document;
    if (!document.isObject(node)) return 'span_is_not_an_object';
    if (ID_MEMBERS.some((name) => isWrittenTwice(document, node, name))) return 'duplicate_id';
    const traceId = traceIdOf(document.string(this.member(node, 'traceId')));
    if (traceId === undefined) return `trace_id_${this.#fault(node, 'traceId', 32)}`;
    const spanId = spanIdOf(document.string(this.member(node, 'spanId')));
    if (spanId === undefined) return `span_id_${this.#fault(node, 'spanId', 16)}`;

    const parentSpanId = this.#parentSpanId(node);
    const flags = Number(this.#unsigned(node, 'flags') ?? 0);
    const name = document.string(document.get(node, 'name'));
    const runs = readRunIds(document, document.get(node, 'attributes'), this.#runIdAttributes);
    if (runs.unusable) this.deviations.add('run_id_unusable');
    const startTimeUnixNano = this.#unsigned(node, 'startTimeUnixNano');
    const endTimeUnixNano = this.#unsigned(node, 'endTimeUnixNano');
    const kind = this.#enum(node, 'kind', SPAN_KINDS, 'kind_is_no_enum_value');
    const status = document.get(node, 'status');
    const statusCode = this.#enum(status, 'code', STATUS_CODES, 'status_code_is_no_enum_value');
    return {
      traceId,
      spanId,
      ...(parentSpanId !== undefined && { parentSpanId }),
      ...((flags & PARENT_IS_KNOWN_FLAG) !== 0 && {
        parentIsRemote: (flags & PARENT_IS_REMOTE_FLAG) !== 0,
      }),
      ...(name !== undefined && { name }),
      runIds: runs.runIds,
      ...(startTimeUnixNano !== undefined && { startTimeUnixNano }),
      ...(endTimeUnixNano !== undefined && { endTimeUnixNano }),
      ...(kind !== undefined && { kind }),
      ...(statusCode !== undefined && { statusCode }),
    };
  }

  /** A member under either spelling; null counts as absent, as in every protobuf mapping. */
  member(node: Node, name: string): Node {
    const found = otlpMember(this.#document, node, name);
    if (found === NONE || this.#document.raw(found) === 'null') return NONE;
    if (snakeCase(name) !== name && this.#document.get(node, name) === NONE) {
      this.deviations.add('snake_case_names');
    }
    return found;
  }

  /** Tells a sender that has no id from one that spells it wrong. */
  #fault(node: Node, name: string, hexDigits: number): 'missing' | 'unreadable' {
    const value = this.member(node, name);
    if (value === NONE) return 'missing';
    const id = this.#document.string(value);
    return id === '' || id === '0'.repeat(hexDigits) ? 'missing' : 'unreadable';
  }

  #parentSpanId(node: Node): string | undefined {
    const text = this.#document.string(this.member(node, 'parentSpanId'));
    const id = spanIdOf(text);
    if (text && id === undefined && !ALL_ZERO.test(text)) {
      this.deviations.add('parent_span_id_unreadable');
    }
    return id;
  }

  /** Integers come as strings or as numbers; both are read as text, so that no digit is lost. */
  #unsigned(node: Node, name: keyof typeof UNREADABLE): string | undefined {
    const value = this.member(node, name);
    if (value === NONE) return undefined;
    const text = this.#document.string(value) ?? this.#document.raw(value);
    if (UNSIGNED_64.test(text)) return text;
    this.deviations.add(UNREADABLE[name]);
    return undefined;
  }

  /** OTLP/JSON writes enums as integers; their names, as protobuf JSON has them, are read and named a deviation. */
  #enum(
    node: Node,
    name: string,
    names: readonly string[],
    deviation: TraceDeviation,
  ): number | undefined {
    const value = this.member(node, name);
    if (value === NONE) return undefined;
    const code = Number(this.#document.raw(value));
    if (names[code] !== undefined) return code;
    this.deviations.add(deviation);
    const named = names.indexOf(this.#document.string(value) ?? '');
    return named === -1 ? undefined : named;
  }
}
