import { readFileSync } from 'node:fs';
import {
  type Attributes,
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { PlannedCaller, PlannedRun, WorkloadPlan } from '../plan.ts';

/**
 * Emits the spans of the plan in the file named by the first argument, as two services: the tool
 * server and its caller. Endpoint, key and protocol come from the OTEL_* variables, as for any user.
 * Prints what the exporters are told as `TOLD <OTLP/JSON>`.
 */
async function emitSpans(plan: WorkloadPlan): Promise<void> {
  const server = createService('mcp-server-ol', 'none');
  const caller = createService('mcp-lineage-driver', 'gzip');
  const [first, ...others] = plan.runs.filter(({ outcome }) => outcome !== 'KILLED');
  if (!first) return;

  const { traceId, sessionSpanId } = plan.caller;
  const session = caller.start('session', sessionSpanId, before(first, 4), { traceId });
  emitOrdinarySpan(caller, session, plan.caller, first);
  // Arrives alone, before anything says that its trace is a governed one.
  await caller.provider.forceFlush();

  const call = caller.start('governed_execute_sql', plan.caller.callSpanId, before(first, 1), {
    parent: session,
    kind: SpanKind.CLIENT,
    attributes: { 'lineage.governed': true },
  });
  emitRunSpan(server, first, call);
  await server.provider.forceFlush();
  call.end(after(first, 1));
  session.end(after(first, 2));
  await caller.provider.shutdown();

  const open = new Map<string, Span>();
  for (const run of others) {
    const parent = run.parentSpanId === undefined ? undefined : open.get(run.parentSpanId);
    open.set(run.spanId, emitRunSpan(server, run, parent));
  }
  await server.provider.shutdown();
}

type Service = ReturnType<typeof createService>;

interface SpanOptions {
  readonly parent?: Span;
  /** Of a root span; any other takes its parent's. */
  readonly traceId?: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

function createService(name: string, compression: 'none' | 'gzip') {
  // The ids are those of the plan, which the run's trace context facet names too.
  const next = { traceId: '', spanId: '' };
  process.env.OTEL_EXPORTER_OTLP_COMPRESSION = compression;
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': name })),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [new BatchSpanProcessor(telling(createExporter()))],
  });
  const tracer = provider.getTracer('lineage-evidence-workload', '1.0.0');
  return {
    provider,
    start(spanName: string, spanId: string, startTime: HrTime, options: SpanOptions = {}): Span {
      next.spanId = spanId;
      next.traceId = options.traceId ?? '';
      const { parent, kind, attributes } = options;
      const context: Context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return tracer.startSpan(spanName, { startTime, kind, attributes }, context);
    },
  };
}

function createExporter(): SpanExporter {
  const protobuf = process.env.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/protobuf';
  return protobuf ? new ProtobufExporter() : new JsonExporter();
}

/** Prints each batch before it is sent. */
function telling(exporter: SpanExporter): SpanExporter {
  return {
    export(spans, done) {
      const request = JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
      process.stdout.write(`TOLD ${new TextDecoder().decode(request)}\n`);
      exporter.export(spans, done);
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

function emitOrdinarySpan(
  caller: Service,
  session: Span,
  { ordinarySpanId }: PlannedCaller,
  first: PlannedRun,
): void {
  const span = caller.start('context_read', ordinarySpanId, before(first, 3), { parent: session });
  span.end(before(first, 2));
}

function emitRunSpan(server: Service, run: PlannedRun, parent?: Span): Span {
  const span = server.start('mcp.execute_sql', run.spanId, hrTime(run.startedAtMicros), {
    parent,
    traceId: run.traceId,
    kind: SpanKind.SERVER,
    attributes: {
      'lineage.run_id': run.runId,
      'lineage.actor_status': run.actor,
      'db.system.name': 'postgresql',
      'db.namespace': 'sales',
      'db.query.text': run.sql,
      'db.response.returned_rows': run.outputs.length === 0 ? 17 : 0,
    },
  });
  if (run.error) {
    const { type, message, stackTrace } = run.error;
    const failedAt = hrTime(run.endedAtMicros - 900);
    span.recordException({ name: type, message, stack: stackTrace }, failedAt);
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }
  span.end(hrTime(run.endedAtMicros));
  return span;
}

function hrTime(micros: number): HrTime {
  return [Math.floor(micros / 1_000_000), (micros % 1_000_000) * 1000];
}

const CALLER_STEP_MICROS = 1713;
const before = (run: PlannedRun, steps: number) =>
  hrTime(run.startedAtMicros - steps * CALLER_STEP_MICROS);
const after = (run: PlannedRun, steps: number) =>
  hrTime(run.endedAtMicros + steps * CALLER_STEP_MICROS);

const plan: WorkloadPlan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
await emitSpans(plan);
