import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  ExportTraceServiceRequestSchema,
  type SpanSchema,
} from '../../lambdas/domain/protobuf/otlp-traces_pb.ts';

/** A span with its ids in hex; the schema URL is that of its scope. */
type SpanInit = Omit<MessageInitShape<typeof SpanSchema>, 'traceId' | 'spanId' | '$typeName'> & {
  readonly traceId: string;
  readonly spanId: string;
  readonly schemaUrl?: string;
};

/** An encoded export of one resource and one scope. */
export function protobufExport(...spans: readonly SpanInit[]): Uint8Array {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
  const message = create(ExportTraceServiceRequestSchema, {
    resourceSpans: [
      {
        scopeSpans: [
          {
            schemaUrl: spans[0]?.schemaUrl ?? '',
            spans: spans.map(({ traceId, spanId, schemaUrl: _, ...span }) => ({
              ...span,
              traceId: bytes(traceId),
              spanId: bytes(spanId),
            })),
          },
        ],
      },
    ],
  });
  return toBinary(ExportTraceServiceRequestSchema, message);
}
