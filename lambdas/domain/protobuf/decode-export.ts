import { fromBinary } from '@bufbuild/protobuf';
import type { TraceDeviation } from '../traces/departures.ts';
import type { RejectedSpans } from '../traces/otlp.ts';
import { otlpJson } from './json-text.ts';
import { ExportTraceServiceRequestSchema } from './otlp-traces_pb.ts';
import { inspectWire, MAX_MESSAGE_DEPTH, refusal } from './wire.ts';

/** An export that came as protobuf, as it is kept. */
export interface DecodedExport {
  /** OTLP/JSON; a function of the bytes alone, so that a retried delivery is recognised. */
  readonly text: string;
  readonly deviations: readonly TraceDeviation[];
  /** What the text shows nothing of any more: containers of which no field is known. */
  readonly rejected: readonly RejectedSpans[];
}

/**
 * Reads an encoded `ExportTraceServiceRequest`. What is stored of it is a translation, which is said
 * by the deviation `sent_as_protobuf`; fields that the specification does not know are dropped, which
 * is said by `unknown_fields_dropped`, or counted where a container has nothing else.
 * @throws InvalidEventError naming the rule; TooLargeError when the text would be too long to keep
 */
export function decodeExport(bytes: Uint8Array): DecodedExport {
  const { hasUnknownFields, unreadContainers: count } = inspectWire(
    ExportTraceServiceRequestSchema,
    bytes,
  );
  const deviations: TraceDeviation[] = ['sent_as_protobuf'];
  if (hasUnknownFields) deviations.push('unknown_fields_dropped');
  const rejected: RejectedSpans[] = [];
  if (count > 0) rejected.push({ rule: 'no_known_container', count, path: '$' });
  return { text: otlpJson(ExportTraceServiceRequestSchema, decode(bytes)), deviations, rejected };
}

function decode(bytes: Uint8Array) {
  try {
    return fromBinary(ExportTraceServiceRequestSchema, bytes, {
      readUnknownFields: false,
      recursionLimit: MAX_MESSAGE_DEPTH,
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusal(code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not_utf8' : 'damaged_protobuf');
  }
}
