import { create, toBinary } from '@bufbuild/protobuf';
import { ExportTraceServiceResponseSchema } from './otlp-traces_pb.ts';
import { StatusSchema } from './rpc-status_pb.ts';

/** Spans that were not taken; empty when all were. */
export interface PartialSuccess {
  /** Decimal, as in OTLP/JSON. */
  readonly rejectedSpans?: string;
  readonly errorMessage?: string;
}

/** `ExportTraceServiceResponse`. Full success is `0a 00`, as the collector answers it. */
export function encodeResponse({ rejectedSpans = '0', errorMessage }: PartialSuccess): Uint8Array {
  const partialSuccess = { rejectedSpans: BigInt(rejectedSpans), errorMessage };
  return toBinary(
    ExportTraceServiceResponseSchema,
    create(ExportTraceServiceResponseSchema, { partialSuccess }),
  );
}

/**
 * Longest message of a Status: its length is then one byte below 0x80, so that the whole answer is ASCII and reaches
 * callers to whom the gateway would pass base64 on.
 */
const MAX_MESSAGE_CHARACTERS = 127;

/** `google.rpc.Status` without details. */
export function encodeStatus(status: {
  readonly code: number;
  readonly message: string;
}): Uint8Array {
  const message = status.message.slice(0, MAX_MESSAGE_CHARACTERS);
  return toBinary(StatusSchema, create(StatusSchema, { ...status, message }));
}
