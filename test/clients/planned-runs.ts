import { expect } from 'vitest';
import { type Exchange, textOf } from '../support/recording-proxy.ts';
import type { ClientEnvironment } from './environment.ts';
import type { WorkloadPlan } from './plan.ts';
import { expectRunsComplete } from './stored.ts';

/** How many events the clients are told to send: a START for each run, a terminal unless it is killed. */
export function plannedEvents({ runs }: WorkloadPlan): number {
  return runs.length + runs.filter(({ outcome }) => outcome !== 'KILLED').length;
}

/** All paths that may be touched: a store that redacts more than it must is wrong too. */
export function sensitivePaths(exchange: Exchange): string[] {
  const error = ['$.run.facets.errorMessage.message', '$.run.facets.errorMessage.stackTrace'];
  const failed = JSON.parse(textOf(exchange)).eventType === 'FAIL';
  return ['$.job.facets.sql.query', ...(failed ? error : [])];
}

/** Expects that the store shows each run of the plan as the client was told to report it. Returns the runs by id. */
export async function expectPlannedRuns(
  environment: ClientEnvironment,
  plan: WorkloadPlan,
  exchanges: readonly Exchange[],
) {
  const runs = await expectRunsComplete(environment, exchanges);
  expect([...runs.keys()].sort()).toEqual(plan.runs.map(({ runId }) => runId).sort());
  for (const planned of plan.runs) {
    const run = runs.get(planned.runId);
    if (run === undefined) continue;
    expect(run.state).toBe(planned.outcome === 'KILLED' ? 'RUNNING' : planned.outcome);
    expect(run.job).toMatchObject({ namespace: plan.jobNamespace, name: planned.jobName });
    expect(names(run.inputs)).toEqual(names(planned.inputs));
    expect(names(run.outputs)).toEqual(names(planned.outputs));
    expect(run.parent?.runId).toBe(planned.parent?.run.runId);
    expect(run.root?.runId).toBe(planned.parent?.root.runId);
  }
  return runs;
}

const names = (datasets: readonly { readonly namespace: string; readonly name: string }[]) =>
  datasets.map(({ namespace, name }) => `${namespace} ${name}`).sort();
