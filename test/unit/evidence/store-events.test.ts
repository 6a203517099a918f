import { describe, expect, it } from 'vitest';
import { LineageError } from '../../../lambdas/domain/errors.ts';
import type { ArchiveDependencies } from '../../../lambdas/domain/evidence/archive-records.ts';
import { storeEvents } from '../../../lambdas/domain/openlineage/store-events.ts';
import { consumed, NOW, NOW_TEXT, RETENTION, runEventText } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { archive, CANARY } from './archive.ts';

describe('a failure of the infrastructure', () => {
  it.each(['putObject', 'putDocument'])(
    'of the vault (%s) sends exactly the records concerned again',
    async (method) => {
      const { run, vault } = archive();
      vault.faults.refuse(method, 99);
      const { failures } = await run(
        consumed(1, runEventText()),
        consumed(2, 'oops'),
        consumed(3, runEventText()),
      );
      expect([...failures.keys()]).toEqual(method === 'putObject' ? ['1', '3'] : ['2']);
      expect(new Set(failures.values())).toEqual(new Set([`${method}_unavailable`]));
    },
  );

  it.each(['putDelivery', 'putRunEvent'])(
    'of the index (%s) is healed by the next delivery',
    async (method) => {
      const { run, index, vault } = archive();
      index.faults.refuse(method);
      expect((await run(consumed(1, runEventText()))).failures.size).toBe(1);
      expect((await run(consumed(1, runEventText()))).failures.size).toBe(0);
      expect([vault.versions.length, index.runEventRows.size, index.deliveryRows.size]).toEqual([
        1, 1, 1,
      ]);
    },
  );

  it('of a promotion sends the run event again that named the trace', async () => {
    const ctx = { traceId: '0af7651916cd43dd8448eb211c80319c' };
    const vault = new InMemoryVault();
    const index = new InMemoryRunIndex();
    const store: ArchiveDependencies['store'] = (dated) =>
      storeEvents(dated, {
        ...{ vault, index, retention: RETENTION, clock: () => NOW, traceContextFacets: ['ctx'] },
        onTraceNamed: () => Promise.reject(new LineageError('unavailable', 'x')),
      });
    const { run } = archive({ store });
    const { failures } = await run(
      consumed(1, runEventText({ run: { runId: 'r', facets: { ctx } } })),
    );
    expect([...failures]).toEqual([['1', 'unavailable']]);
    expect(index.traceRunRows.size).toBe(1);
  });

  it('shows no message of a foreign error', async () => {
    const { run, vault } = archive();
    vault.putObject = () => Promise.reject(new TypeError(CANARY));
    expect([...(await run(consumed(1, runEventText()))).failures.values()]).toEqual(['TypeError']);
  });
});

describe('index rows of an event', () => {
  it('name the run, its datasets, its parents and the traces it names', async () => {
    const { run, index, named } = archive();
    const ctx = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    const parent = { run: { runId: 'P' }, root: { run: { runId: 'R' } } };
    const inputs = [{ namespace: 'n', name: 'd' }];
    await run(
      consumed(1, runEventText({ run: { runId: 'Run-1', facets: { ctx, parent } }, inputs })),
    );
    expect(
      [...index.referenceRows.values()].map(({ runId, by, from }) => [runId, by, from]),
    ).toEqual([
      ['P', 'parent', 'Run-1'],
      ['R', 'root', 'Run-1'],
    ]);
    expect([...index.runDatasetRows.values()]).toMatchObject([
      { runKey: 'Run-1', namespace: 'n', name: 'd', access: 'read' },
    ]);
    expect([...index.traceRunRows.values()]).toMatchObject([
      { ...ctx, runId: 'Run-1', declaredBy: 'run' },
    ]);
    expect(named).toEqual([ctx.traceId]);
  });

  it('of a job event declare the job', async () => {
    const { run, index } = archive();
    await run(consumed(1, '{"job":{"namespace":"n","name":"j"}}'));
    expect(await index.declarations({ namespace: 'n', name: 'j' })).toEqual([
      {
        job: { namespace: 'n', name: 'j' },
        receiptId: 'receipt-1',
        acceptedAt: NOW_TEXT,
        group: 'group-1',
      },
    ]);
  });

  it('hold nothing that was redacted', async () => {
    const { run, index } = archive();
    await run(
      consumed(
        1,
        runEventText({
          run: {
            runId: 'r',
            facets: { sql: { query: CANARY }, errorMessage: { message: CANARY } },
          },
        }),
      ),
    );
    const rows = [
      index.deliveryRows,
      index.runEventRows,
      index.runDatasetRows,
      index.referenceRows,
    ];
    expect(JSON.stringify(rows.map((row) => [...row]))).not.toContain(CANARY);
  });
});
