import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { InvalidEventError } from '../errors.ts';
import { MAX_ITEMS, TOO_MANY_MESSAGES, type TraceRefusal } from '../traces/departures.ts';
import {
  ExportTraceServiceRequestSchema,
  ResourceSpansSchema,
  ScopeSpansSchema,
  SpanSchema,
} from './otlp-traces_pb.ts';

/** What protobuf decoders refuse by custom; 100 messages become at most 140 levels of JSON. */
export const MAX_MESSAGE_DEPTH = 100;

export interface WireReport {
  readonly hasUnknownFields: boolean;
  /** Exports, resources and scopes without a span but with unknown fields, which may have held some. */
  readonly unreadContainers: number;
}

const CONTAINERS: ReadonlySet<DescMessage> = new Set([
  ExportTraceServiceRequestSchema,
  ResourceSpansSchema,
  ScopeSpansSchema,
]);

/** Where OTLP 0.15 to 0.19 moved the spans of older senders to, in ResourceSpans. */
const INSTRUMENTATION_LIBRARY_SPANS = 1_000;

/**
 * Walks over an encoded message before anything is built from it. Refuses what the decoder of
 * the library would take: a known field under another wire type (read as if it had the right one),
 * an embedded message whose last field reaches beyond it, and more items than memory has room for. Refuses
 * spans in the field of OTLP before 0.15, too, which would be dropped like any unknown field.
 * @throws InvalidEventError naming the rule
 */
export function inspectWire(schema: DescMessage, bytes: Uint8Array): WireReport {
  const walk = new WireWalk(bytes);
  try {
    walk.message(schema, bytes.length, 1);
  } catch (error) {
    // The library throws plain errors.
    throw error instanceof InvalidEventError ? error : refusal('damaged_protobuf');
  }
  const { hasUnknownFields, unreadContainers } = walk;
  return { hasUnknownFields, unreadContainers };
}

export function refusal(rule: TraceRefusal): InvalidEventError {
  return new InvalidEventError([{ path: '$', rule }]);
}

class WireWalk {
  hasUnknownFields = false;
  unreadContainers = 0;
  #spans = 0;
  readonly #reader: BinaryReader;
  #items = 0;

  constructor(bytes: Uint8Array) {
    this.#reader = new BinaryReader(bytes);
  }

  message(schema: DescMessage, end: number, depth: number): void {
    const reader = this.#reader;
    if (depth > MAX_MESSAGE_DEPTH) throw refusal('too_deep');
    this.#count();
    if (schema === SpanSchema) this.#spans++;
    const fields = fieldsOf(schema);
    const before = this.#spans + this.unreadContainers;
    let hasUnknown = false;
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      const field = fields.get(number);
      if (field === undefined) {
        if (schema === ResourceSpansSchema && number === INSTRUMENTATION_LIBRARY_SPANS) {
          throw refusal('instrumentation_library_spans');
        }
        hasUnknown = true;
        reader.skip(wireType, number, MAX_MESSAGE_DEPTH - depth);
      } else if (wireType !== field.wireType) {
        throw refusal('damaged_protobuf');
      } else if (field.message) {
        const length = reader.uint32();
        this.message(field.message, reader.pos + length, depth + 1);
      } else {
        if (field.isList) this.#count();
        reader.skip(wireType, number);
      }
    }
    if (reader.pos !== end) throw refusal('damaged_protobuf');
    if (!hasUnknown) return;
    this.hasUnknownFields = true;
    const isCounted = this.#spans + this.unreadContainers > before;
    if (CONTAINERS.has(schema) && !isCounted) this.unreadContainers++;
  }

  #count(): void {
    if (++this.#items > MAX_ITEMS) throw refusal(TOO_MANY_MESSAGES);
  }
}

interface KnownField {
  readonly wireType: WireType;
  readonly message: DescMessage | undefined;
  readonly isList: boolean;
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, KnownField>>();

function fieldsOf(schema: DescMessage): ReadonlyMap<number, KnownField> {
  let fields = known.get(schema);
  if (!fields) {
    fields = new Map(
      schema.fields.map((field) => [
        field.number,
        {
          wireType: wireTypeOf(field),
          message: field.message,
          isList: field.fieldKind === 'list',
        },
      ]),
    );
    known.set(schema, fields);
  }
  return fields;
}

const WIRE_TYPES: ReadonlyMap<ScalarType, WireType> = new Map([
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
]);

/** OTLP has no repeated number of which several could be packed into one field. */
function wireTypeOf({ message, scalar }: DescField): WireType {
  if (message) return WireType.LengthDelimited;
  return (scalar !== undefined && WIRE_TYPES.get(scalar)) || WireType.Varint;
}
