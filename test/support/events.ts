import { randomUUID } from 'node:crypto';

/** A valid run event with a fresh run id; overrides are merged at the top level. */
export function runEvent(
  overrides: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    eventType: 'START',
    eventTime: '2026-11-29T10:00:00.000Z',
    producer: 'https://example.com/producer',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: randomUUID() },
    job: { namespace: 'tests', name: 'a_job' },
    inputs: [{ namespace: 'postgres://db:5432', name: 'shop.public.orders' }],
    outputs: [{ namespace: 'postgres://db:5432', name: 'shop.public.totals' }],
    ...overrides,
  };
}

/** An OTLP/JSON export of one span. */
export function spanExport(span: Record<string, unknown>): Record<string, unknown> {
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'tests' } }] },
        scopeSpans: [{ scope: { name: 'tests' }, spans: [span] }],
      },
    ],
  };
}

/** A span with fresh ids, linked to a run when one is given. */
export function span(
  overrides: Record<string, unknown> = {},
  runId?: string,
): Record<string, unknown> {
  return {
    traceId: randomUUID().replaceAll('-', ''),
    spanId: randomUUID().replaceAll('-', '').slice(0, 16),
    name: 'mcp.execute_sql',
    kind: 2,
    startTimeUnixNano: '1795860000000000000',
    endTimeUnixNano: '1795860001000000000',
    attributes:
      runId === undefined ? [] : [{ key: 'lineage.run_id', value: { stringValue: runId } }],
    ...overrides,
  };
}
