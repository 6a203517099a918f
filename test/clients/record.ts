import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runEntryPoint, UserError } from '../../localstack/errors.ts';
import { REPOSITORY } from '../../localstack/paths.ts';
import type { WorkloadRequest } from '../../localstack/workload-recording.ts';
import { type Exchange, startRecordingProxy, textOf } from '../support/recording-proxy.ts';
import { runOtelClient, runPythonClient } from './client-programs.ts';
import { createPlan, type WorkloadPlan } from './plan.ts';

const RECORDING = join(REPOSITORY, 'test', 'fixtures', 'workload');

/**
 * Runs the real clients and writes what they put on the wire to test/fixtures/workload. Alone it answers
 * them itself; with `--url` (the API's base URL) and both keys everything passes through to that ingest.
 */
await runEntryPoint(async () => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      'lineage-key': { type: 'string', default: 'recorded-without-upstream' },
      'traces-key': { type: 'string', default: 'recorded-without-upstream' },
    },
  });
  const upstream = values.url === undefined ? undefined : new URL(values.url);
  const base = upstream?.pathname.replace(/\/$/, '') ?? '';
  const plan = createPlan(new Date());
  const proxy = await startRecordingProxy(upstream?.origin);
  const url = `${proxy.origin}${base}`;
  try {
    await runPythonClient(plan, { url: `${url}/`, key: values['lineage-key'] });
    await runOtelClient(plan, { url, key: values['traces-key'] });
  } catch (error) {
    // With DEBUG=1 the client's own words; without, what is nearly always the cause.
    if (process.env.DEBUG) throw error;
    throw new UserError(
      `Nothing was recorded because a client gave up: check that ${values.url ?? url} answers and takes the keys, or set DEBUG=1 to see what the client says.`,
    );
  } finally {
    await proxy.close();
  }
  const refused = proxy.exchanges.find(({ response }) => (response?.status ?? 0) >= 300);
  if (refused) {
    throw new UserError(
      `Nothing was recorded because the ingest answered ${refused.response?.status} to ${refused.path}: check the URL and the keys.`,
    );
  }
  writeRecording(proxy.exchanges.map((exchange) => toRequest(exchange, base, plan)));
  process.stdout.write(`${proxy.exchanges.length} requests recorded in ${RECORDING}\n`);
});

function toRequest(exchange: Exchange, base: string, plan: WorkloadPlan): WorkloadRequest {
  const { method, path, headers, gzip } = exchange;
  return {
    ...describe(exchange, plan),
    method,
    path: path.slice(base.length),
    headers,
    gzip,
    body: textOf(exchange),
  };
}

function describe(exchange: Exchange, plan: WorkloadPlan): { name: string; run?: string } {
  const { path } = exchange;
  const content = JSON.parse(textOf(exchange));
  if (!path.endsWith('/v1/traces')) {
    const run = plan.runs.find(({ runId }) => runId === content.run.runId)?.name;
    if (run === undefined) throw new Error(`event of a run that is not in the plan: ${path}`);
    return { name: `${run} ${content.eventType}`, run };
  }
  const [{ resource, scopeSpans }] = content.resourceSpans;
  const service = resource.attributes.find(({ key }: { key: string }) => key === 'service.name')
    .value.stringValue;
  return { name: `${scopeSpans[0].spans.length} spans of ${service}` };
}

function writeRecording(requests: readonly WorkloadRequest[]): void {
  for (const file of readdirSync(RECORDING)) {
    if (file.endsWith('.json')) rmSync(join(RECORDING, file));
  }
  requests.forEach((request, position) => {
    const number = String(position + 1).padStart(2, '0');
    const slug = request.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const text = `${JSON.stringify(request, null, 2)}\n`;
    writeFileSync(join(RECORDING, `${number}-${slug}.json`), text);
  });
}
