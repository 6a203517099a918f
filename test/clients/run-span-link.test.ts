import { beforeAll, expect, it } from 'vitest';
import { runOtelClient, runPythonClient } from './client-programs.ts';
import { type ClientEnvironment, clientEnvironment, readUntil } from './environment.ts';
import { createPlan } from './plan.ts';
import { describeClient } from './tools.ts';

const SETUP_MILLIS = 400_000;
const READ_MILLIS = 120_000;

describeClient('run and span', ['Python'], () => {
  const plan = createPlan(new Date());
  const reported = plan.runs.filter(({ outcome }) => outcome !== 'KILLED');
  let environment: ClientEnvironment;

  // Straight to the deployed URLs: no proxy changes what the clients make of them.
  beforeAll(async () => {
    environment = clientEnvironment();
    const { clientUrls, keys } = environment;
    await runPythonClient(plan, { url: clientUrls.python, key: keys.lineage });
    await runOtelClient(plan, { url: clientUrls.otel, key: keys.traces });
  }, SETUP_MILLIS);

  it.each(reported)(
    'name each other, run $name',
    async ({ runId, traceId }) => {
      const isMutual = (text: string) => hasLink(JSON.parse(text), runId, 'mutual');
      const trace = await readUntil(environment, `/api/v1/traces/${traceId}`, isMutual);
      expect(trace).toContain(runId);
      const run = await readUntil(environment, `/api/v1/runs/${runId}`);
      expect(JSON.stringify(JSON.parse(run).traces)).toContain(traceId);
    },
    READ_MILLIS,
  );
});

/** Whether any object in a document is about this run and carries this link basis. */
function hasLink(value: unknown, runId: string, basis: string): boolean {
  if (value === null || typeof value !== 'object') return false;
  const values = Object.values(value);
  if ('runId' in value && value.runId === runId && values.includes(basis)) return true;
  return values.some((inner) => hasLink(inner, runId, basis));
}
