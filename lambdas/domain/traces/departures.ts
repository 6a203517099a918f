import { SYNTAX_REFUSALS } from '../json/syntax-refusals.ts';

/** Every departure of an export that is accepted, and what it says. They stand in the envelope. */
export const TRACE_DEVIATIONS = {
  sent_as_protobuf: 'the export came as protobuf: what is stored is its OTLP/JSON',
  unknown_fields_dropped:
    'the protobuf had fields that OTLP 1.9.0 does not know; they are not stored',
  byte_order_mark: 'a byte order mark stood before the text; it is not stored',
  duplicate_keys: 'an object has a key twice; the last one counts, both are stored',
  unknown_container_members:
    'an export, a resource or a scope has a member that OTLP does not know beside its spans; it is stored',
  snake_case_names: 'a member is spelled `trace_id` instead of `traceId`',
  kind_is_no_enum_value: 'a span kind is no integer of the enum; its name is read',
  status_code_is_no_enum_value: 'a status code is no integer of the enum; its name is read',
  parent_span_id_unreadable:
    'a parent span id is no hex of 8 bytes; the span counts as one without',
  start_time_unix_nano_unreadable: 'a start time is no unsigned integer',
  end_time_unix_nano_unreadable: 'an end time is no unsigned integer',
  flags_unreadable: 'the flags of a span are no unsigned integer',
  run_id_unusable: 'a run id attribute is no text, is empty or is too long: it links to no run',
} as const satisfies Readonly<Record<string, string>>;

export type TraceDeviation = keyof typeof TRACE_DEVIATIONS;

/** Why one span, or one container of them, cannot be filed while others of its export are: counted in the partial success. */
const SPAN_REFUSALS = {
  required_object: 'this member has to be an object; counted as one span',
  required_array: 'this member has to be an array; counted as one span',
  no_known_container:
    'an export, a resource or a scope has no span, and members that OTLP does not know: what they hold could not be filed; counted as one span',
  span_is_not_an_object: 'a span is no object',
  trace_id_missing: 'a span has no trace id, or one of zeros',
  trace_id_unreadable: 'a trace id is no hex of 16 bytes',
  span_id_missing: 'a span has no span id, or one of zeros',
  span_id_unreadable: 'a span id is no hex of 8 bytes',
  duplicate_id: 'a span has its trace id or its span id twice',
} as const satisfies Readonly<Record<string, string>>;

export type SpanRule = keyof typeof SPAN_REFUSALS;

/**
 * Messages and repeated strings of one protobuf export. One takes two bytes on the wire and up to hundreds in memory:
 * 6 MB of empty spans would be more than a gigabyte. An attribute of a real export is two of them and over 60 bytes of
 * JSON, so that the bound on the text is met first.
 */
export const MAX_ITEMS = 250_000;

export const TOO_MANY_MESSAGES = `more_than_${MAX_ITEMS}_items` as const;

/** Every rule by which an export is refused with 400; one of which no span can be filed breaks the rule of its spans. */
export const TRACE_REFUSALS = {
  ...SYNTAX_REFUSALS,
  content_encoding_unknown: 'Content-Encoding names something else than gzip or deflate',
  content_encoding_not_applied: 'the body is not compressed as Content-Encoding says',
  damaged_compression: 'the body starts like gzip or deflate and does not inflate',
  not_utf8: 'the body, or a string in it, is not UTF-8; protobuf goes as application/x-protobuf',
  damaged_protobuf:
    'the body is no encoded ExportTraceServiceRequest; JSON goes as application/json',
  [TOO_MANY_MESSAGES]:
    'the protobuf holds more messages and repeated strings than memory has room for',
  export_is_not_an_object: 'an export is a JSON object',
  duplicate_member:
    'resourceSpans, scopeSpans or spans is there twice, in one spelling or in both: all but one would be lost',
  instrumentation_library_spans:
    'spans stand in instrumentationLibrarySpans, as before OTLP 0.15: send them in scopeSpans',
  more_items_than_the_rate_limit_allows:
    'the export has more traces than the rate limit of the producer ever lets through at once',
  ...SPAN_REFUSALS,
} as const satisfies Readonly<Record<string, string>>;

export type TraceRefusal = keyof typeof TRACE_REFUSALS;
