import { describe, expect, it } from 'vitest';
import { openFinding } from '../../../lambdas/domain/findings.ts';
import { consumed, RUN_ID, runEventText } from '../../support/builders.ts';
import { queriedStore } from './store.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const of = (runId: string, more: Record<string, unknown> = {}) =>
  runEventText({ run: { runId }, ...more });
const sentBy = (group: string) => ({ submitter: { producerId: `producer-of-${group}`, group } });
const event = (n: number, text: string, group = 'group-1') =>
  consumed(n, text, { received: { epoch: 0, hmac: `hmac-${n}` }, ...sentBy(group) });

describe('GET /runs/{runId}', () => {
  it('answers the run with its datasets, its events and where each lies', async () => {
    const { archive, get } = queriedStore();
    const inputs = [{ namespace: 'n', name: 'in' }];
    await archive(
      event(1, runEventText({ inputs })),
      event(2, runEventText({ eventType: 'COMPLETE', outputs: [{ namespace: 'n', name: 'out' }] })),
    );
    const { status, json } = await get(`runs/${RUN_ID}`);
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      ...{ runId: RUN_ID, state: 'COMPLETE', inputs, outputs: [{ namespace: 'n', name: 'out' }] },
      events: [
        { receiptId: 'receipt-1', eventType: 'START', location: { versionId: 'v2', line: 0 } },
        { receiptId: 'receipt-2', eventType: 'COMPLETE', location: { versionId: 'v2', line: 1 } },
      ],
      retention: { class: 'standard', mode: 'GOVERNANCE', legalHold: false, from: 'bucket' },
    });
  });

  it.each([RUN_ID.toUpperCase(), RUN_ID])(
    'finds a run by its UUID in any case: %s',
    async (runId) => {
      const { archive, get } = queriedStore();
      await archive(event(1, of(RUN_ID.toUpperCase())));
      expect((await get(`runs/${runId}`)).json()).toMatchObject({
        runId: RUN_ID.toUpperCase(),
        state: 'RUNNING',
      });
    },
  );

  it.each(['a/b', 'ü +', '../x', 'test'])(
    'finds an id that does not fit a path by query: %j',
    async (runId) => {
      const { archive, get } = queriedStore();
      await archive(event(1, of(runId)));
      expect((await get('run', { queryStringParameters: { runId } })).json()).toMatchObject({
        runId,
      });
    },
  );

  it('is there as long as a finding is on it, when all that it left is gone', async () => {
    const { index, get } = queriedStore();
    const runKeys = [RUN_ID];
    const about = {
      plane: 'lineage',
      subject: 'x',
      at: '2026-03-04T05:06:07.000Z',
      detail: {},
    } as const;
    await index.putFinding(openFinding('version_missing', { ...about, runKeys }));
    const { status, json } = await get(`runs/${RUN_ID}`);
    expect([status, json().state]).toEqual([200, 'NOT_HELD']);
    expect(json().findings).toMatchObject([{ kind: 'version_missing' }]);
  });

  it('asks for the id when there is none', async () => {
    expect((await queriedStore().get('run')).status).toBe(400);
  });

  it('is 404 for an id that nothing names', async () => {
    const { status, text } = await queriedStore().get('runs/canary-7f3e9d01');
    expect(status).toBe(404);
    expect(text).not.toContain('canary');
  });

  it('is NOT_HELD for a parent known only from its child', async () => {
    const { archive, get } = queriedStore();
    await archive(
      event(
        1,
        of('child', { run: { runId: 'child', facets: { parent: { run: { runId: 'P' } } } } }),
      ),
    );
    const { status, json } = await get('runs/P');
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      state: 'NOT_HELD',
      referredToBy: [{ by: 'parent', from: 'child' }],
    });
    expect((await get('runs/child')).json()).toMatchObject({ parent: { runId: 'P', held: false } });
    await archive(event(2, of('P')));
    expect((await get('runs/child')).json()).toMatchObject({ parent: { runId: 'P', held: true } });
  });

  it('is contested when two groups use one UUID', async () => {
    const { archive, get } = queriedStore();
    await archive(
      event(1, runEventText(), 'a'),
      event(2, runEventText({ eventType: 'FAIL' }), 'b'),
    );
    expect((await get(`runs/${RUN_ID}`)).json()).toMatchObject({
      state: 'contested',
      groups: [{ group: 'a' }, { group: 'b' }],
    });
  });

  it('asks which group is meant when several use an id that is no UUID', async () => {
    const { archive, get } = queriedStore();
    await archive(event(1, of('test'), 'b'), event(2, of('test', { eventType: 'FAIL' }), 'a'));
    const { status, json } = await get('runs/test');
    expect(status).toBe(409);
    expect(json().detail).toMatch(/a, b/);
    const answer = async (submitter: string) =>
      (await get('runs/test', { queryStringParameters: { submitter } })).json();
    expect(await answer('a')).toMatchObject({
      state: 'FAIL',
      events: [{ receiptId: 'receipt-2' }],
    });
    expect(await answer('producer-of-b')).toMatchObject({
      state: 'RUNNING',
      events: [{ receiptId: 'receipt-1' }],
    });
  });

  it('shows the datasets of no other group', async () => {
    const { archive, get } = queriedStore();
    await archive(
      event(1, of('test'), 'a'),
      event(2, of('test', { inputs: [{ namespace: 'n', name: 'secret' }] }), 'b'),
    );
    expect(
      (await get('runs/test', { queryStringParameters: { submitter: 'a' } })).json(),
    ).toMatchObject({ inputs: [] });
  });

  it('says whether the job was declared in advance', async () => {
    const { archive, get } = queriedStore();
    const job = { namespace: 'ns', name: 'job' };
    await archive(
      consumed(1, JSON.stringify({ job }), { acceptedAt: '2026-03-04T05:06:00.000Z' }),
      event(2, runEventText()),
    );
    expect((await get(`runs/${RUN_ID}`)).json()).toMatchObject({
      declared: { inAdvance: true, receiptId: 'receipt-1' },
    });
  });

  it('names the trace that the run names', async () => {
    const { archive, get } = queriedStore();
    await archive(
      event(1, runEventText({ run: { runId: RUN_ID, facets: { ctx: { traceId: TRACE_ID } } } })),
    );
    expect((await get(`runs/${RUN_ID}`)).json()).toMatchObject({
      traces: [{ traceId: TRACE_ID, held: false }],
    });
    expect((await get(`traces/${TRACE_ID}`)).status).toBe(200);
  });

  it.each(['abc', '0'.repeat(32), 'x'.repeat(32)])(
    'is 400 for %s, which is no trace id',
    async (traceId) => {
      expect((await queriedStore().get(`traces/${traceId}`)).status).toBe(400);
    },
  );

  it('is 404 for a trace that nothing names', async () => {
    expect((await queriedStore().get(`traces/${TRACE_ID}`)).status).toBe(404);
  });

  it.each(['runEvents', 'references', 'declarations'])(
    'is 503 when the index (%s) does not answer',
    async (method) => {
      const { archive, get, index } = queriedStore();
      await archive(event(1, runEventText()));
      index.faults.refuse(method);
      expect((await get(`runs/${RUN_ID}`)).status).toBe(503);
    },
  );

  it('writes neither ids nor query into the log', async () => {
    const { get, lines } = queriedStore();
    await get('runs/canary-7f3e9d01', { queryStringParameters: { submitter: 'canary-7f3e9d01' } });
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});
