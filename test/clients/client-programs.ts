import { join } from 'node:path';
import { CLIENTS, installJava, installPython } from './installed.ts';
import type { WorkloadPlan } from './plan.ts';
import { runPlanned } from './program.ts';
import { type OtlpSpan, toldSpans } from './spans.ts';

/** Where a client is pointed, in the form that this client needs (environment.json: clientUrls). */
export interface ClientTarget {
  readonly url: string;
  readonly key: string;
}

/** Runs openlineage-python over the plan. Throws when an event was refused or the client gave up. */
export async function runPythonClient(
  plan: WorkloadPlan,
  { url, key }: ClientTarget,
  transport: 'http' | 'async_http' = 'http',
): Promise<void> {
  const python = await installPython('openlineage-python');
  await runPlanned(python, [join(CLIENTS, 'openlineage-python', 'workload.py')], plan, {
    EVIDENCE_URL: url,
    EVIDENCE_KEY: key,
    EVIDENCE_TRANSPORT: transport,
  });
}

/** Runs openlineage-java over the plan. Returns how many emits threw. */
export async function runJavaClient(
  plan: WorkloadPlan,
  { url, key }: ClientTarget,
  settings: Readonly<Record<string, string>> = {},
): Promise<number> {
  const jars = await installJava('openlineage-java');
  const output = await runPlanned('java', ['-cp', `${jars}/*:${jars}`, 'Emit'], plan, {
    EVIDENCE_URL: url,
    EVIDENCE_KEY: key,
    ...settings,
  });
  return [...output.matchAll(/^NOT SENT /gm)].length;
}

/** Runs the OpenTelemetry JS SDK over the plan. Returns the spans that its exporters were told to send. */
export async function runOtelClient(
  plan: WorkloadPlan,
  target: ClientTarget,
  protocol: 'http/json' | 'http/protobuf' = 'http/json',
): Promise<OtlpSpan[]> {
  const program = join(CLIENTS, 'otel-js', 'spans.ts');
  const settings = { ...otelSettings(target), OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
  return toldSpans(
    await runPlanned(process.execPath, ['--import', 'tsx', program], plan, settings),
  );
}

/** As {@link runOtelClient}, with the Python SDK, which has no http/json. */
export async function runOtelPythonClient(
  plan: WorkloadPlan,
  target: ClientTarget,
  settings: Readonly<Record<string, string>>,
): Promise<OtlpSpan[]> {
  const python = await installPython('otel-python');
  const program = join(CLIENTS, 'otel-python', 'spans.py');
  return toldSpans(
    await runPlanned(python, [program], plan, { ...otelSettings(target), ...settings }),
  );
}

const otelSettings = ({ url, key }: ClientTarget) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: `Authorization=${encodeURIComponent(`Bearer ${key}`)}`,
});
