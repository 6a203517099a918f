import { create, toBinary } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { decodeExport } from '../../../lambdas/domain/protobuf/decode-export.ts';
import { ExportTraceServiceRequestSchema } from '../../../lambdas/domain/protobuf/otlp-traces_pb.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { REDACTION } from '../../support/builders.ts';
import { recordOf } from '../traces/exports.ts';

const CANARY = 'canary-7f3e9d01';
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const text = (value: string) => ({ value: { case: 'stringValue' as const, value } });

// Redaction judges by the names of OTLP/JSON: what protobuf calls otherwise would slip through.
it('nothing sensitive of a protobuf export is stored', () => {
  const nested = {
    value: {
      case: 'kvlistValue' as const,
      value: { values: [{ key: 'password', value: text(CANARY) }] },
    },
  };
  const attributes = [
    { key: 'db.query.text', value: text(`select '${CANARY}'`) },
    { key: '', value: text(`postgres://u:${CANARY}@db/x`) },
    { key: 'nested', value: nested },
    { key: 'blob', value: { value: { case: 'bytesValue' as const, value: bytes(CANARY) } } },
  ];
  const message = create(ExportTraceServiceRequestSchema, {
    resourceSpans: [
      {
        resource: { attributes },
        scopeSpans: [
          {
            scope: { name: 'scope', attributes },
            spans: [
              {
                ...{ traceId: bytes('0123456789abcdef'), spanId: bytes('01234567') },
                ...{ name: 'step', traceState: `k=${CANARY}`, attributes },
                events: [{ name: 'exception', attributes }],
                links: [{ traceState: `k=${CANARY}`, attributes }],
                status: { message: CANARY, code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
  const decoded = decodeExport(toBinary(ExportTraceServiceRequestSchema, message));
  expect(decoded.text).toContain(CANARY);

  const stored = JSON.stringify(prepareTraces(recordOf(decoded.text), REDACTION));
  expect(stored).toContain('"envelopes":[{');
  expect(stored).toContain('step');
  for (const form of [CANARY, Buffer.from(CANARY).toString('base64')]) {
    expect(stored).not.toContain(form);
  }
});
