import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import {
  encodeStreamRecord,
  type RecordHead,
} from '../../../lambdas/domain/evidence/stream-record.ts';

export const TRACE_A = 'a1'.repeat(16);
export const TRACE_B = 'b2'.repeat(16);
export const SPAN_1 = '1'.repeat(16);
export const SPAN_2 = '2'.repeat(16);
export const SPAN_3 = '3'.repeat(16);
export const RUN = '57eea365-05ab-4a6c-ae67-51a8924a8d21';
export const RUN_ID_ATTRIBUTES = ['lineage.run_id'];

/** Noon of a day; everything in these tests is accepted here. */
export const ACCEPTED_AT = '2026-11-29T12:00:00.000Z';

export interface SpanFields {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly runIds?: readonly string[];
  readonly attributes?: readonly object[];
  readonly [member: string]: unknown;
}

export function span({ runIds = [], attributes = [], ...fields }: SpanFields = {}): object {
  return {
    traceId: TRACE_A,
    spanId: SPAN_1,
    name: 'mcp.execute_sql',
    kind: 2,
    startTimeUnixNano: '1795990226577137001',
    endTimeUnixNano: '1795990226618893002',
    attributes: [
      ...runIds.map((runId) => ({ key: 'lineage.run_id', value: { stringValue: runId } })),
      ...attributes,
    ],
    status: { code: 0 },
    ...fields,
  };
}

/** An export of one resource and one scope, as text. */
export function exportOf(...spans: readonly object[]): string {
  const resource = {
    attributes: [{ key: 'service.name', value: { stringValue: 'mcp-server-ol' } }],
  };
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'test' }, spans }] }],
  });
}

/** A stream record that holds an export; `n` tells receipts and sequence numbers apart. */
export function recordOf(text: string, n = 1, head: Partial<RecordHead> = {}): ConsumedRecord {
  return {
    position: {
      shardId: 'shardId-000000000000',
      sequenceNumber: `49${String(n).padStart(6, '0')}`,
    },
    arrivedAtMillis: Date.parse(ACCEPTED_AT),
    data: encodeStreamRecord({
      head: {
        receiptId: `receipt-${n}`,
        acceptedAt: ACCEPTED_AT,
        submitter: { producerId: 'collector', group: 'agents' },
        retentionClass: 'standard',
        received: { epoch: 0, hmac: `hmac-${n}` },
        deviations: [],
        ...head,
      },
      body: Buffer.from(text),
    }),
  };
}
