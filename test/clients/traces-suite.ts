import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange, Fault } from '../support/recording-proxy.ts';
import { type ClientEnvironment, readUntil } from './environment.ts';
import { createPlan, type WorkloadPlan } from './plan.ts';
import { type Proxied, useProxy } from './proxied.ts';
import { canonical, type OtlpSpan, spansIn } from './spans.ts';
import { literals } from './statements.ts';
import { delivered } from './stored.ts';

// Installing the client is part of the first run of it.
const SETUP_MILLIS = 540_000;
const READ_MILLIS = 180_000;

/** A program that reports the spans of a plan through one OpenTelemetry client. */
export interface TracesClient {
  /** Sends the plan through an origin that stands for the API's. Returns the spans that the client was told to send. */
  send(plan: WorkloadPlan, origin: string, environment: ClientEnvironment): Promise<OtlpSpan[]>;
  readonly contentType: string;
  /** Of its exports, which are compressed. */
  readonly gzipped: readonly boolean[];
  /** What goes wrong with which of its requests, in the order in which they arrive. It survives all of it. */
  readonly faults: readonly (Fault | undefined)[];
}

/** What every OpenTelemetry client must find in the store, undisturbed and with faults. */
export function describeTracesClient(name: string, client: TracesClient): void {
  describe(name, { timeout: READ_MILLIS }, () => {
    const plan = createPlan(new Date());
    const reported = plan.runs.filter(({ outcome }) => outcome !== 'KILLED');
    const proxied = useProxy();
    let sent: readonly Exchange[];
    let told: readonly OtlpSpan[];

    /** Sends a plan through the proxy. */
    const send = ({ environment, proxy, during }: Proxied, sending: WorkloadPlan) =>
      during(async () => ({ spans: await client.send(sending, proxy.origin, environment) }));

    beforeAll(async () => {
      ({ spans: told, exchanges: sent } = await send(proxied, plan));
      // The SDK hides a refusal, and each test would wait for spans that never come.
      if (delivered(sent).length === 0) throw new Error('the store accepted no export');
    }, SETUP_MILLIS);

    it('gets 200 in its own encoding for each export, at the first attempt', () => {
      expect(sent.map(({ response }) => response?.status)).toEqual(client.gzipped.map(() => 200));
      expect(sent.map(({ gzip }) => gzip)).toEqual(client.gzipped);
      for (const { headers, responseType } of sent) {
        const [, type] = Object.entries(headers).find(([key]) => /^content-type$/i.test(key)) ?? [];
        expect(type).toBe(client.contentType);
        expect(responseType).toBe(client.contentType);
      }
    });

    it('finds every span as it was told to send it, but for redacted values', async () => {
      await expectStoredSpans(proxied.environment, told);
    });

    it.each(reported)('links the span of run $name to the run id', async ({ traceId, runId }) => {
      const { spans: _, ...rest } = JSON.parse(await readTrace(proxied.environment, traceId, told));
      expect(JSON.stringify(rest)).toContain(runId);
    });

    it('finds no literal of a statement or an error in any trace', async () => {
      for (const { traceId } of reported) {
        const text = await readTrace(proxied.environment, traceId, told);
        expect(literals.filter((literal) => text.includes(literal))).toEqual([]);
      }
      // The check above would notice: one that only the failed statement holds was sent.
      expect(JSON.stringify(told)).toContain(literals[1]);
    });

    it('loses nothing when the store is busy twice, resets once and loses an answer', async () => {
      proxied.proxy.inject(...client.faults);
      const { spans, exchanges } = await send(proxied, createPlan(new Date()));
      const faulty = exchanges.filter(({ fault }) => fault !== undefined);
      expect(faulty).toHaveLength(client.faults.filter((fault) => fault !== undefined).length);
      // One export was delivered twice, to the byte, and is not there twice.
      const bodies = new Set(delivered(exchanges).map(({ content }) => content.toString('base64')));
      expect(delivered(exchanges)).toHaveLength(bodies.size + 1);
      await expectStoredSpans(proxied.environment, spans);
    });
  });
}

/** Expects that the traces hold exactly these spans, each once. */
export async function expectStoredSpans(
  environment: ClientEnvironment,
  told: readonly OtlpSpan[],
): Promise<void> {
  expect(told.length).toBeGreaterThan(0);
  for (const traceId of new Set(told.map((span) => span.traceId))) {
    const stored = spansIn(JSON.parse(await readTrace(environment, traceId, told)));
    const own = told.filter((span) => span.traceId === traceId);
    expect(stored.map(canonical).sort(bySpanId)).toEqual(own.map(canonical).sort(bySpanId));
  }
}

/** The answer about a trace once it has as many spans as the client was told to send in it. */
async function readTrace(
  environment: ClientEnvironment,
  traceId: string,
  told: readonly OtlpSpan[],
): Promise<string> {
  const count = told.filter((span) => span.traceId === traceId).length;
  const complete = (text: string) => spansIn(JSON.parse(text)).length >= count;
  return await readUntil(environment, `/api/v1/traces/${traceId}`, complete);
}

const bySpanId = (a: { spanId: string }, b: { spanId: string }) => (a.spanId < b.spanId ? -1 : 1);
