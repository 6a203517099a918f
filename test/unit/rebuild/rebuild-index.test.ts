import { describe, expect, it } from 'vitest';
import { planName } from '../../../lambdas/domain/rebuild/rebuild-index.ts';
import { createHandler, type RebuildStep } from '../../../lambdas/rebuild-index/handler.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { recorder } from '../../support/recorder.ts';
import { ACCEPTED_AT, RUN, recordOf, TRACE_A } from '../traces/exports.ts';
import { rowsOf, storeToRebuild } from './store.ts';

const ENOUGH = { getRemainingTimeInMillis: () => 900_000 };
const NONE = { getRemainingTimeInMillis: () => 0 };

/** Drives the steps as the state machine does. */
async function run(
  handle: ReturnType<typeof createHandler>,
  plan: object,
  notes: ReturnType<ReturnType<typeof storeToRebuild>['rebuilding']>['notes'],
  context = ENOUGH,
) {
  const planned = (await handle({ step: 'plan', ...plan } as RebuildStep, context)) as {
    plan: string;
    itemsKey: string;
  };
  const items = (await notes.find(planned.itemsKey)) as object[];
  let calls = 0;
  for (const partition of items) {
    let step = { step: 'partition', partition } as object as RebuildStep | { step: 'done' };
    while (step.step !== 'done' && calls++ < 500) {
      // Step Functions hands everything on as JSON.
      step = JSON.parse(JSON.stringify(await handle(step, context)));
    }
  }
  const report = () => handle({ step: 'report', plan: planned.plan }, context);
  return { planned, items, calls, report };
}

function rebuilding() {
  const store = storeToRebuild();
  const index = new InMemoryRunIndex();
  const dependencies = store.rebuilding(index);
  const { logger } = recorder();
  return { store, index, dependencies, handle: createHandler({ ...dependencies, logger }) };
}

async function fill({ archive }: ReturnType<typeof storeToRebuild>, objects: number) {
  const schemaURL = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent';
  for (let n = 1; n <= objects; n++) {
    const eventTime = new Date(Date.parse(ACCEPTED_AT) + n).toISOString();
    const event = { eventType: 'RUNNING', eventTime, producer: 'https://example.com', schemaURL };
    const about = { run: { runId: RUN }, job: { namespace: 'mcp', name: 'execute_sql' } };
    await archive('lineage', [recordOf(JSON.stringify({ ...event, ...about }), n)]);
  }
}

describe('a rebuild by steps', () => {
  it('files everything and locks a report of it', async () => {
    const { store, index, dependencies, handle } = rebuilding();
    await fill(store, 3);
    await store.archive('lineage', [recordOf('{"no json', 9)]);
    const { report, planned } = await run(handle, {}, dependencies.notes);
    expect(await report()).toMatchObject({
      plan: planned.plan,
      status: 'complete',
      rebuilt: { partitions: 3, objects: 5, records: 5 },
      unreadable: 0,
      location: {
        bucket: 'vault',
        key: expect.stringMatching(/^reports\/rebuild\/dt=2026-11-29\//),
      },
    });
    expect(rowsOf(index)).toEqual(rowsOf(store.index));
  });

  it('reports also that there was nothing', async () => {
    const { dependencies, handle } = rebuilding();
    const { report } = await run(handle, {}, dependencies.notes);
    expect(await report()).toMatchObject({ status: 'complete', rebuilt: { partitions: 0 } });
  });

  it('goes on in another invocation when one has no time left', async () => {
    const { store, index, dependencies, handle } = rebuilding();
    await fill(store, 40);
    const { calls, report } = await run(handle, {}, dependencies.notes, NONE);
    expect(calls).toBe(3);
    expect(await report()).toMatchObject({ rebuilt: { objects: 40, records: 40 } });
    expect(rowsOf(index)).toEqual(rowsOf(store.index));
  });

  it('does not rebuild again what was noted', async () => {
    const { store, index, dependencies, handle } = rebuilding();
    await fill(store, 2);
    const { items } = await run(handle, {}, dependencies.notes);
    index.faults.calls.length = 0;
    await handle({ step: 'partition', partition: items[0] } as RebuildStep, ENOUGH);
    expect(index.faults.calls).toEqual([]);
  });

  it('reports nothing before every partition is done', async () => {
    const { store, handle } = rebuilding();
    await fill(store, 1);
    await handle({ step: 'plan' }, ENOUGH);
    const plan = planName(store.time.now);
    await expect(handle({ step: 'report', plan }, ENOUGH)).rejects.toThrow('not rebuilt yet');
    await expect(handle({ step: 'report', plan: '../x' }, ENOUGH)).rejects.toThrow('no plan');
  });

  it.each([
    [{ from: ACCEPTED_AT }, 1],
    [{ from: '2026-11-29T12:59:59.999Z' }, 1],
    [{ from: '2026-11-29T13:00:00Z' }, 0],
    [{ to: ACCEPTED_AT }, 0],
    [{ from: '2026-11-29', to: '2026-11-30' }, 1],
  ])('takes the hours that %j touches', async (interval, partitions) => {
    const { store, dependencies, handle } = rebuilding();
    await fill(store, 1);
    const { items } = await run(handle, interval, dependencies.notes);
    expect(items).toHaveLength(partitions);
  });

  it('names what it could not read and says that it is incomplete', async () => {
    const { store, dependencies, handle } = rebuilding();
    await fill(store, 1);
    const [version] = store.vault.versions.filter(({ key }) => key.startsWith('lineage/'));
    store.vault.overwrite(version as NonNullable<typeof version>, Buffer.from(TRACE_A));
    const { report } = await run(handle, {}, dependencies.notes);
    expect(await report()).toMatchObject({ status: 'incomplete', unreadable: 1 });
  });

  it('refuses a time that is none', async () => {
    const { handle } = rebuilding();
    await expect(handle({ step: 'plan', from: 'soon' }, ENOUGH)).rejects.toThrow('RFC 3339');
  });
});
