import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOtelClient } from './client-programs.ts';
import { type ClientEnvironment, clientEnvironment, readUntil } from './environment.ts';
import { createPlan } from './plan.ts';
import { type Exchange, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { literals } from './statements.ts';

const SETUP_MILLIS = 90_000;
const READ_MILLIS = 120_000;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
}

describe('OpenTelemetry JS', { timeout: READ_MILLIS }, () => {
  const plan = createPlan(new Date());
  const reported = plan.runs.filter(({ outcome }) => outcome !== 'KILLED');
  let environment: ClientEnvironment;
  let proxy: RecordingProxy;
  let sent: readonly Exchange[];

  beforeAll(async () => {
    environment = clientEnvironment();
    proxy = await startRecordingProxy(new URL(environment.apiUrl).origin);
    const path = new URL(environment.clientUrls.otel).pathname.replace(/\/$/, '');
    await runOtelClient(plan, { url: proxy.origin + path, key: environment.keys.traces });
    sent = proxy.exchanges;
  }, SETUP_MILLIS);

  afterAll(() => proxy?.close());

  const sentSpans = (traceId: string) =>
    sent
      .flatMap(({ body }) => spansIn(JSON.parse(body)))
      .filter((span) => span.traceId === traceId);
  const readTrace = async (traceId: string) => {
    const count = sentSpans(traceId).length;
    const complete = (text: string) => spansIn(JSON.parse(text)).length >= count;
    return await readUntil(environment, `/api/v1/traces/${traceId}`, complete);
  };

  it('gets 200 for each export, at the first attempt, with and without gzip', () => {
    expect(sent.map(({ response }) => response.status)).toEqual([200, 200, 200, 200]);
    expect(sent.map(({ gzip }) => gzip)).toEqual([true, false, true, false]);
    for (const { response } of sent) {
      expect(JSON.parse(response.body).partialSuccess?.rejectedSpans ?? 0).toBe(0);
    }
  });

  it.each(reported)(
    'finds the trace of run $name as sent, but for redacted values',
    async (run) => {
      const stored = spansIn(JSON.parse(await readTrace(run.traceId)));
      expect(stored.map(withoutRedacted).sort(byId)).toEqual(
        sentSpans(run.traceId).map(withoutRedacted).sort(byId),
      );
    },
  );

  it('finds the caller and what it did before, in the trace of the first run', async () => {
    const stored = spansIn(JSON.parse(await readTrace(plan.caller.traceId)));
    const names = ['context_read', 'governed_execute_sql', 'mcp.execute_sql', 'session'];
    expect(stored.map(({ name }) => name).sort()).toEqual(names);
  });

  it.each(reported)('links the span of run $name to the run id', async ({ traceId, runId }) => {
    const trace = JSON.parse(await readTrace(traceId));
    const { spans: _, resourceSpans: __, ...rest } = trace;
    expect(JSON.stringify(rest)).toContain(runId);
  });

  it('finds no literal of a statement or an error in any trace', async () => {
    for (const { traceId } of reported) {
      const text = await readTrace(traceId);
      expect(literals.filter((literal) => text.includes(literal))).toEqual([]);
    }
    // The check above would notice: one that only the failed statement holds was sent.
    expect(sent.some(({ body }) => body.includes(literals[1]))).toBe(true);
  });
});

/** Every span anywhere in a document, whatever it is wrapped in. */
function spansIn(value: unknown): Span[] {
  if (Array.isArray(value)) return value.flatMap(spansIn);
  if (value === null || typeof value !== 'object') return [];
  if ('spanId' in value && 'startTimeUnixNano' in value) return [value as Span];
  return Object.values(value).flatMap(spansIn);
}

const REDACTED = new Set(['db.query.text', 'exception.message', 'exception.stacktrace']);

/** The span with what a redaction rule covers blanked: the rest must be equal. */
function withoutRedacted(span: Span): Span {
  return JSON.parse(JSON.stringify(span), (_name, value) => {
    if (value !== null && typeof value === 'object') {
      if (REDACTED.has(value.key)) return { ...value, value: '?' };
      if ('code' in value && 'message' in value) return { ...value, message: '?' };
    }
    return value;
  });
}

const byId = (a: Span, b: Span) => (a.spanId < b.spanId ? -1 : 1);
