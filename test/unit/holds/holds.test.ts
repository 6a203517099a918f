import { describe, expect, it } from 'vitest';
import { LineageError } from '../../../lambdas/domain/errors.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import { type Hold, holdRowsOf } from '../../../lambdas/domain/holds/hold.ts';
import { digestKey } from '../../../lambdas/domain/integrity/digest.ts';
import { scanText } from '../../../lambdas/domain/redaction/scan-text.ts';
import { RUN_ID } from '../../support/builders.ts';
import { TRACE_A } from '../traces/exports.ts';
import { eventOf, heldStore, spanOf } from './store.ts';

const OTHER = '0190a1b2-c3d4-7e5f-8a9b-000000000002';

/** What differs between the bits and the active holds. */
const wrong = ({ bits, mustBeHeld }: ReturnType<typeof heldStore>) =>
  bits().filter(([version, bit]) => bit !== mustBeHeld(version));

describe('PUT /api/v1/hold', () => {
  it('holds the events of a run, its traces and its own document', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.archive(eventOf(2, OTHER));
    await store.archiveTraces(spanOf(3, [RUN_ID]));

    const { status, json } = await store.set(RUN_ID.toUpperCase());

    expect(status).toBe(200);
    expect(json).toMatchObject({
      hold: { reference: 'case-1', reason: 'a court asks', status: 'active', by: 'producer-1' },
      ...{ status: 'complete', held: 3, failed: [], missing: [], unsealed: 2, pending: 0 },
    });
    expect(json.versions.map(({ key }: { key: string }) => key.split('/')[0])).toEqual([
      ...['holds', 'lineage', 'traces'],
    ]);
    expect(store.bits().map(([, bit]) => bit)).toEqual([true, false, true]);
    expect(wrong(store)).toEqual([]);
  });

  it('is the same hold when it is asked for again, and locks nothing new', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const first = await store.set(RUN_ID);
    const versions = store.vault.versions.length;
    store.time.now += 1_000;
    expect((await store.set(RUN_ID)).json).toEqual(first.json);
    expect(store.vault.versions.length).toBe(versions);
  });

  it('is another step after a release, of the same hold', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const first = await store.set(RUN_ID);
    await store.release(RUN_ID);
    expect(store.bits().map(([, bit]) => bit)).toEqual([false]);
    const again = await store.set(RUN_ID);
    expect(again.json.hold.id).toBe(first.json.hold.id);
    expect(store.bits().map(([, bit]) => bit)).toEqual([true]);
    const steps = store.vault.versions.flatMap(
      ({ key }) => /(\d{8}-(?:set|released))\.json$/.exec(key)?.[1] ?? [],
    );
    expect(steps).toEqual(['00000001-set', '00000002-released', '00000003-set']);
  });

  it('holds the digests that seal what it holds, late ones too, and no others', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    store.time.now += 20 * 60_000;
    await store.archive(eventOf(2, OTHER));
    const [own, other] = store.bits().map(([version]) => version) as [never, never];
    await store.seal('2026-03-04T05:00:00.000Z', []);
    await store.seal('2026-03-04T05:15:00.000Z', [other, own]);
    await store.seal('2026-03-04T05:30:00.000Z', [other]);

    const { json } = await store.set(RUN_ID);

    const digests = json.versions
      .map(({ key }: { key: string }) => key)
      .filter((key: string) => key.startsWith('digests/'));
    expect(digests).toEqual(
      ['json', 'leaves', 'sig'].map((end) => `digests/dt=2026-03-04/2026-03-04T051500Z.${end}`),
    );
    expect(json.unsealed).toBe(0);
    await store.release(RUN_ID);
    expect([...store.vault.held]).toEqual([]);
  });

  it('says which versions are gone and holds the rest, expired ones too', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.archive(eventOf(2, RUN_ID));
    const [gone, left] = store.bits().map(([version]) => version) as [Version, Version];
    store.vault.remove(gone);
    store.time.now = Date.parse('2030-01-01T00:00:00.000Z');

    const { status, json } = await store.set(RUN_ID);

    const missing = [{ key: gone.key, versionId: gone.versionId }];
    expect([status, json.status, json.missing, json.failed]).toEqual([
      200,
      'complete',
      missing,
      [],
    ]);
    expect(store.vault.held).toContain(versionName(left));
    const released = await store.release(RUN_ID);
    expect(released.json).toMatchObject({
      missing,
      released: 2,
      deletable: [
        { key: expect.stringMatching(/^holds\//) },
        { key: left.key, versionId: left.versionId, at: '2030-01-01T00:00:00.000Z' },
      ],
    });
  });

  it('lists what could not be held, records that, and holds it when asked again', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.archive(eventOf(2, RUN_ID));
    const [bad] = store.bits().map(([version]) => version) as [Version];
    store.legalHolds.refused.add(bad.key);

    const { status, json } = await store.set(RUN_ID);

    const failed = [{ key: bad.key, versionId: bad.versionId, code: 'access_denied' }];
    expect([status, json.status, json.held, json.failed]).toEqual([200, 'partial', 2, failed]);
    expect(outcomes(store).at(-1)).toMatchObject({ status: 'partial', failedVersions: failed });
    expect((await store.reconcile()).report).toMatchObject({
      status: 'incomplete',
      findings: [{ kind: 'hold_incomplete', runKeys: [RUN_ID], detail: { failed: 1, pending: 0 } }],
    });
    expect(store.counted).toMatchObject({ HoldsIncomplete: 1 });

    store.legalHolds.refused.clear();
    expect((await store.set(RUN_ID)).json).toMatchObject({ status: 'complete', held: 3 });
    expect(outcomes(store).at(-1)).toMatchObject({ status: 'complete', failed: 0 });
    expect(wrong(store)).toEqual([]);
  });

  it('holds the evidence also where another document covers its own', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    store.vault.held.clear();
    const { findDocument } = store.vault;
    store.vault.findDocument = (key, document) => {
      if (!key.startsWith('holds/')) return findDocument.call(store.vault, key, document);
      throw new LineageError('conflicting_object', 'another object stands under this key');
    };
    const { report } = await store.reconcile();
    expect(wrong(store)).toEqual([]);
    expect(report.findings).toMatchObject([{ detail: { failed: 1, code: 'conflicting_object' } }]);
    const { status, json } = await store.set(RUN_ID);
    expect([status, json.status]).toEqual([200, 'partial']);
  });

  it('goes no further than it has time, and the schedule does the rest', async () => {
    const store = heldStore();
    for (let n = 1; n <= 30; n++) await store.archive(eventOf(n, RUN_ID));
    const { inspect } = store.inspector;
    store.inspector.inspect = (version) => {
      store.time.now += 1_000;
      return inspect(version);
    };
    const { json } = await store.set(RUN_ID);
    expect(json).toMatchObject({ status: 'partial', failed: [] });
    expect(json.pending).toBeGreaterThan(0);
    expect((await store.reconcile()).report).toMatchObject({ status: 'complete' });
    expect(wrong(store)).toEqual([]);
  });

  it.each([
    [{}, 400, ['$.reason required', '$.reference required']],
    [[], 400, ['$ object']],
    [{ reason: 'r', reference: 'c', until: 'x' }, 400, ['$ unknown_field']],
    [
      { reason: ' ', reference: 1 },
      400,
      ['$.reason text_of_1_to_1000_characters', '$.reference text_of_1_to_200_characters'],
    ],
    [{ reason: 'r', reference: 'c'.repeat(201) }, 400, ['$.reference text_of_1_to_200_characters']],
    [
      { reason: 'line\nline', reference: 'c\u202e' },
      400,
      ['$.reason printable_characters_of_one_line', '$.reference printable_characters_of_one_line'],
    ],
    [
      { reason: 'line\u2028line', reference: 'c\u2029' },
      400,
      ['$.reason printable_characters_of_one_line', '$.reference printable_characters_of_one_line'],
    ],
    [
      { reason: 'r', reference: 'Case 123-45-6789' },
      400,
      ['$.reference no_secret_and_no_personal_data'],
    ],
    [
      { reason: 'r', reference: 'case of jane.doe@example.com' },
      400,
      ['$.reference no_secret_and_no_personal_data'],
    ],
  ])('refuses %j', async (body, status, rules) => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const stored = store.vault.versions.length;
    const answer = await store.ask('PUT', '/api/v1/hold', { runId: RUN_ID }, body);
    expect(answer.status).toBe(status);
    const said = answer.json.errors.map(
      ({ path, rule }: Record<string, string>) => `${path} ${rule}`,
    );
    expect(said).toEqual(rules);
    expect(answer.text).not.toMatch(/6789|jane/);
    expect(store.vault.versions.length).toBe(stored);
  });

  it('keeps no secret of a reason', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const body = { reason: 'asked by jane.doe@example.com', reference: 'case-1' };
    const { json } = await store.ask('PUT', '/api/v1/hold', { runId: RUN_ID }, body);
    expect(json.hold.reason).toMatch(/^asked by /);
    const everything = JSON.stringify([
      store.vault.versions.map(({ body }) => Buffer.from(body).toString()),
      [...store.holds.rows.values()],
      [...store.holds.coverRows.values()],
    ]);
    expect(everything).not.toContain('jane.doe');
    const again = await store.ask('PUT', '/api/v1/hold', { runId: RUN_ID }, body);
    expect(again.json.hold.id).toBe(json.hold.id);
    // Whoever set and whoever releases it learns what is kept.
    const released = await store.ask('DELETE', '/api/v1/hold', { runId: RUN_ID }, body);
    for (const { note } of [json, again.json, released.json]) expect(note).toMatch(/replaced/);
    expect(released.json.hold.released.reason).toBe(json.hold.reason);
  });

  it('is released by the reference as it is listed, where an older release stored a redacted one', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const listed = scanText('Case 123-45-6789')?.text as string;
    expect((await store.set(RUN_ID, listed)).status).toBe(200);
    expect((await store.release(RUN_ID, listed)).status).toBe(200);
  });

  it('is on no run that nobody ever named, nor on one that the submitter did not send', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    expect((await store.set(OTHER)).status).toBe(404);
    expect((await store.set(RUN_ID, 'c', { submitter: 'nobody' })).status).toBe(404);
    expect(
      (await store.ask('PUT', '/api/v1/hold', {}, { reason: 'r', reference: 'c' })).status,
    ).toBe(400);
    expect(store.holds.rows.size).toBe(0);
  });

  it.each([
    ['PUT', 'runId'],
    ['DELETE', 'runId'],
    ['PUT', 'submitter'],
    ['GET', 'runId'],
    ['GET', 'limit'],
  ])('refuses to guess, at %s, which of two values of %s is meant', async (method, name) => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const resource = method === 'GET' ? '/api/v1/holds' : '/api/v1/hold';
    const body = { reason: 'r', reference: 'c' };
    const twice = { [name]: ['1', '1'] };
    const query = { runId: RUN_ID };
    const { status, json } = await store.ask(method, resource, query, body, twice);
    expect([status, json.detail]).toEqual([400, 'give each query parameter once']);
    expect(store.holds.rows.size).toBe(0);
  });

  it.each([
    [RUN_ID, undefined],
    ['nightly', undefined],
    ['nightly', 'group-1'],
  ])(
    'is released, listed and set anew on %s when nothing of the run is left (submitter %s)',
    async (runId, submitter) => {
      const store = heldStore();
      const more: Record<string, string> = submitter === undefined ? {} : { submitter };
      await store.archive(eventOf(1, runId));
      const { json } = await store.set(runId, 'case-1', more);
      store.index.runEventRows.clear();
      expect((await store.list({ runId })).json.items).toMatchObject([{ status: 'active' }]);
      const released = await store.release(runId, 'case-1', more);
      expect([released.status, released.json.hold]).toMatchObject([
        200,
        { id: json.hold.id, status: 'released' },
      ]);
      expect((await store.set(runId, 'case-1', more)).json.hold.id).toBe(json.hold.id);
      expect((await store.set(runId, 'c', { submitter: 'nobody' })).status).toBe(404);
    },
  );

  it('asks whose hold it is where the runs of several groups are gone', async () => {
    const store = heldStore();
    for (const group of ['a', 'b']) {
      await store.archive(eventOf(group === 'a' ? 1 : 2, 'nightly', undefined, group));
      await store.set('nightly', 'case-1', { submitter: group });
    }
    store.index.runEventRows.clear();
    expect((await store.release('nightly')).json.detail).toContain('one of: a, b');
    expect((await store.release('nightly', 'case-1', { submitter: 'b' })).status).toBe(200);
  });

  it('says that it stands for the reason it was set for when another one is given', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const ask = (method: string, reason: string) =>
      store.ask(method, '/api/v1/hold', { runId: RUN_ID }, { reference: 'case-1', reason });
    expect((await ask('PUT', 'a court asks')).json).not.toHaveProperty('note');
    const versions = store.vault.versions.length;
    const again = await ask('PUT', 'another court asks');
    expect(again.json).toMatchObject({
      hold: { reason: 'a court asks', status: 'active' },
      note: 'the hold was set before for another reason, which stands',
    });
    expect(store.vault.versions.length).toBe(versions);
    expect((await ask('DELETE', 'settled')).json).not.toHaveProperty('note');
    expect((await ask('DELETE', 'withdrawn')).json).toMatchObject({
      hold: { released: { reason: 'settled' } },
      note: 'the hold was released before for another reason, which stands',
    });
  });

  it('asks whose run it is where several groups use an id that is no UUID', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, 'nightly', undefined, 'a'));
    await store.archive(eventOf(2, 'nightly', undefined, 'b'));
    const ambiguous = await store.set('nightly');
    expect([ambiguous.status, ambiguous.json.detail]).toEqual([
      409,
      expect.stringContaining('one of: a, b'),
    ]);
    const { json } = await store.set('nightly', 'case-1', { submitter: 'of-b' });
    expect(json.hold.group).toBe('b');
    expect(store.bits().map(([, bit]) => bit)).toEqual([false, true]);
    await store.archive(eventOf(3, 'nightly', undefined, 'a'));
    await store.archive(eventOf(4, 'nightly', undefined, 'b'));
    expect(store.bits().map(([, bit]) => bit)).toEqual([false, true, false, true]);
  });

  it('is for keys with the scope hold, and a failure of the vault leaves no hold behind', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    store.vault.faults.refuse('putDocument');
    expect((await store.set(RUN_ID)).status).toBe(503);
    expect(store.holds.rows.size).toBe(0);
    const row = [...store.registry.rows.values()][0] as { registration: object };
    row.registration = { ...row.registration, scopes: ['audit', 'read', 'admin'] };
    expect((await store.set(RUN_ID)).status).toBe(403);
    expect((await store.release(RUN_ID)).status).toBe(403);
    expect((await store.list()).status).toBe(200);
  });

  it('is finished when it broke off between document and rows, or the table was lost', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    store.holds.faults.refuse('put');
    expect((await store.set(RUN_ID)).status).toBe(503);
    expect(store.bits().map(([, bit]) => bit)).toEqual([false]);
    expect((await store.set(RUN_ID)).json).toMatchObject({ held: 2 });
    store.holds.rows.clear();
    store.holds.coverRows.clear();
    expect((await store.release(RUN_ID)).json).toMatchObject({
      hold: { status: 'released' },
      released: 2,
    });
    expect([...store.vault.held]).toEqual([]);
  });

  it.each([
    ['no JSON', () => '{"hold"'],
    ['null', () => 'null'],
    ['the outcome of a step', () => '{"holdOutcome":1}'],
    ['the step before it', (set: string) => set],
    ['a step without its texts', (set: string) => set.replace('"reason":', '"season":')],
    ['a step of another hold', (set: string) => set.replace('case-1', 'case-2')],
  ])('says so when %s stands where its next step goes', async (_what, planted) => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    const set = store.vault.versions.find(({ key }) => key.endsWith('-set.json')) as Version;
    const body = Buffer.from(planted(Buffer.from(set.body).toString()));
    const key = set.key.replace('00000001-set', '00000002-released');
    store.vault.versions.push({ ...set, key, versionId: 'planted', body });

    for (const answer of [await store.set(RUN_ID), await store.release(RUN_ID)]) {
      expect([answer.status, answer.json.errors]).toEqual([
        409,
        [{ path: '$.reference', rule: 'hold_unreadable' }],
      ]);
      expect(answer.json.detail).toContain('another reference');
    }
    expect(store.bits().map(([, bit]) => bit)).toEqual([true]);
    expect((await store.set(RUN_ID, 'case-3')).status).toBe(200);
  });

  it('is set once by two requests at once, and of a set and a release one comes first', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const [a, b] = await Promise.all([store.set(RUN_ID), store.set(RUN_ID)]);
    expect([a.status, b.status]).toEqual([200, 200]);
    expect(store.holds.rows.size).toBe(1);
    await Promise.all([store.release(RUN_ID), store.set(RUN_ID)]);
    expect(wrong(store)).toEqual([]);
  });
});

describe('DELETE /api/v1/hold', () => {
  it('leaves what another hold is on, and says by which', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    await store.archive(eventOf(3, RUN_ID));
    const [both, own] = store.bits().map(([version]) => version) as [Version, Version];
    await store.set(RUN_ID, 'case-1');
    await store.set(OTHER, 'case-2');

    const { json } = await store.release(RUN_ID, 'case-1');

    expect(json).toMatchObject({
      ...{ status: 'complete', released: 2 },
      stillHeld: [{ key: both.key, by: ['case-2'] }],
    });
    expect(json.deletable).toContainEqual({
      key: own.key,
      versionId: own.versionId,
      at: own.lock?.retainUntil,
    });
    expect(wrong(store)).toEqual([]);
    await store.release(OTHER, 'case-2');
    expect([...store.vault.held]).toEqual([]);
  });

  it('leaves a digest that another hold is on, which was written after that hold was set', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID, 'early');
    await store.seal('2026-03-04T05:00:00.000Z');
    store.time.now += 20 * 60_000;
    await store.set(RUN_ID, 'late');
    const { json } = await store.release(RUN_ID, 'late');
    expect(json.deletable.map(({ key }: { key: string }) => key)).toEqual([
      expect.stringMatching(/^holds\//),
    ]);
    for (const version of store.vault.versions.filter(({ key }) => key.startsWith('digests/'))) {
      expect(store.vault.held.has(versionName(version))).toBe(true);
    }
  });

  it('lifts nothing while an active hold cannot say what it is on', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID, 'early');
    await store.set(RUN_ID, 'late');
    store.legalHolds.faults.refuse('set', Number.POSITIVE_INFINITY);
    for (const version of [...store.vault.held]) store.vault.held.delete(version);
    const { json } = await store.release(RUN_ID, 'late');
    expect(json).toMatchObject({ status: 'partial', deletable: [] });
    expect(json.pending).toBeGreaterThan(0);
  });

  it('ends one of two holds on the same run', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID, 'case-1');
    await store.set(RUN_ID, 'case-2');
    expect((await store.release(RUN_ID, 'case-1')).json.stillHeld).toMatchObject([
      { by: ['case-2'] },
    ]);
    expect(store.bits().map(([, bit]) => bit)).toEqual([true]);
    expect((await store.release(RUN_ID, 'case-2')).json.stillHeld).toEqual([]);
    expect(store.bits().map(([, bit]) => bit)).toEqual([false]);
  });

  it('answers the same when asked again, and 404 for a hold that never was', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    const first = await store.release(RUN_ID);
    expect((await store.release(RUN_ID)).json).toEqual(first.json);
    expect((await store.release(RUN_ID, 'no case')).status).toBe(404);
  });
});

describe('what arrives after a hold', () => {
  it('is held: events, spans of the run, and traces that it names', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.archiveTraces(spanOf(2, []));
    await store.set(RUN_ID);
    await store.archive(eventOf(3, RUN_ID, TRACE_A));
    await store.archiveTraces(spanOf(4, []));
    await store.archiveTraces(spanOf(5, [RUN_ID], 'b2'.repeat(16)));
    await store.archive(eventOf(6, OTHER));
    expect(store.bits().map(([, bit]) => bit)).toEqual([true, true, true, true, true, false]);
    expect(wrong(store)).toEqual([]);
  });

  it('comes again when it could not be held', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    store.legalHolds.faults.refuse('set');
    const { batchItemFailures } = await store.archive(eventOf(2, RUN_ID));
    expect(batchItemFailures).toHaveLength(1);
    expect((await store.archive(eventOf(2, RUN_ID))).batchItemFailures).toEqual([]);
    expect(wrong(store)).toEqual([]);
  });

  it('costs one look a batch while there has never been a hold', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    expect(store.holds.faults.calls).toEqual(['hasAny']);
  });

  it('is looked up a bounded number of times for each delivery, however many a held trace has', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    const calls = () => store.holds.faults.calls.length + store.legalHolds.faults.calls.length;
    const costs: number[] = [];
    for (let n = 2; n < 12; n++) {
      const before = calls();
      await store.archiveTraces(spanOf(n, [RUN_ID]));
      costs.push(calls() - before);
    }
    expect(wrong(store)).toEqual([]);
    expect(costs.at(-1)).toBeLessThanOrEqual(costs[1] as number);
  });
});

describe('reconcile-holds', () => {
  it('files a report when there is no hold', async () => {
    const store = heldStore();
    const { report, location } = await store.reconcile();
    expect(report).toMatchObject({
      kind: 'holds',
      status: 'complete',
      population: { active: 0 },
      findings: [],
    });
    expect(location.key).toMatch(/^reports\/holds\/dt=2026-03-04\//);
  });

  it('sets what somebody lifted, and lifts what somebody set that is released', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.archive(eventOf(2, OTHER));
    await store.set(RUN_ID);
    await store.set(OTHER);
    await store.release(OTHER);
    const [held, free] = store.bits().map(([version]) => versionName(version)) as [string, string];
    store.vault.held.delete(held);
    store.vault.held.add(free);
    const { report } = await store.reconcile();
    expect(report.population).toEqual({ active: 1, releasedLately: 1 });
    expect(wrong(store)).toEqual([]);
  });

  it('holds digests that were sealed after the hold was set', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    await store.seal('2026-03-04T05:00:00.000Z');
    await store.reconcile();
    expect([...store.vault.held].filter((name) => name.includes('digests/'))).toHaveLength(3);
  });

  it.each([
    ['garbage', () => Buffer.from('{')],
    ['a list of nothing', (document: object) => Buffer.from(JSON.stringify(document))],
  ])('holds the digest, whatever somebody put beside it: %s', async (_, bytes) => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const from = '2026-03-04T05:00:00.000Z';
    await store.seal(from);
    const key = digestKey(from, 'document', 1);
    const planted = {
      ...{ digest: 1, number: 0, location: { bucket: 'vault', key }, signer: { fingerprint: 'f' } },
      ...{ from, to: '2026-03-04T05:15:00.000Z', objects: [] },
    };
    store.vault.addVersion(key, bytes(planted));
    const { json } = await store.set(RUN_ID);
    expect(json).toMatchObject({ status: 'complete', unsealed: 0, failed: [] });
    expect([...store.vault.held].filter((name) => name.includes('digests/'))).toHaveLength(3);
  });

  it('has everything as it was after a rebuild from the documents alone, in any order', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    await store.archiveTraces(spanOf(3, [RUN_ID]));
    await store.set(RUN_ID, 'case-1');
    await store.set(OTHER, 'case-2');
    await store.release(RUN_ID, 'case-1');
    await store.set(RUN_ID, 'case-1');
    await store.release(OTHER, 'case-2');
    const before = structuredClone([store.holds.rows, store.vault.held]);
    store.holds.rows.clear();
    store.holds.coverRows.clear();
    const documents = store.vault.versions.filter(({ key }) => key.startsWith('holds/'));
    for (const { body } of documents.toReversed()) {
      for (const hold of holdRowsOf(JSON.parse(Buffer.from(body).toString()))) {
        await store.holds.put(hold);
      }
    }
    await store.reconcile();
    const [rows, held] = before as [typeof store.holds.rows, typeof store.vault.held];
    expect(new Map([...store.holds.rows].sort())).toEqual(new Map([...rows].sort()));
    expect([...store.vault.held].sort()).toEqual([...held].sort());
    expect((await store.release(RUN_ID, 'case-1')).json.stillHeld).toEqual([]);
    expect([...store.vault.held]).toEqual([]);
  });

  it('leaves old releases alone', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    await store.release(RUN_ID);
    store.time.now += 8 * 86_400_000;
    expect((await store.reconcile()).report.population).toEqual({ active: 0, releasedLately: 0 });
  });

  it('begins nothing that it has no time for, and says so', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    await store.set(RUN_ID);
    const context = { getRemainingTimeInMillis: () => 1_000 };
    const { report } = await store.reconcile({}, context);
    expect(report).toMatchObject({
      status: 'incomplete',
      findings: [{ detail: { failed: 0, pending: 2 } }],
    });
  });

  it('looks at each of many holds once, and begins each run at another', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    for (let n = 0; n < 40; n++) await store.set(RUN_ID, `case-${n}`);
    const firsts = new Set<string>();
    for (let day = 1; day < 6; day++) {
      store.time.now += 86_400_000;
      const covers = store.holds.coverRows.size;
      const order: string[] = [];
      const { putCover } = store.holds;
      store.holds.putCover = (subject, cover) => {
        if (subject.includes('/lineage/')) order.push(cover.holdId);
        return putCover.call(store.holds, subject, cover);
      };
      expect((await store.reconcile()).report.population.active).toBe(40);
      store.holds.putCover = putCover;
      expect([order.length, new Set(order).size]).toEqual([40, 40]);
      expect(store.holds.coverRows.size).toBe(covers);
      firsts.add(order[0] as string);
    }
    expect(firsts.size).toBeGreaterThan(1);
  });

  it('puts rows anew that the index lost, says so, and holds what came meanwhile', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    await store.set(RUN_ID);
    await store.set(OTHER);
    await store.release(OTHER);
    const rows = new Map(store.holds.rows);
    store.holds.rows.clear();
    store.holds.coverRows.clear();
    await store.archive(eventOf(3, RUN_ID));
    expect(wrong(store)).not.toEqual([]);

    const { report } = await store.reconcile();

    expect(store.holds.rows).toEqual(rows);
    expect(wrong(store)).toEqual([]);
    expect(report).toMatchObject({
      ...{ status: 'incomplete', population: { active: 1, releasedLately: 1 } },
      findings: [{ detail: { restored: true } }, { detail: { restored: true } }],
    });
    expect((await store.reconcile()).report).toMatchObject({ status: 'complete', findings: [] });
  });

  it('puts the row of a run anew where only that was lost', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const { json } = await store.set(RUN_ID);
    const put: string[] = [];
    const { ofRun, put: putRow } = store.holds;
    store.holds.ofRun = async () => [];
    store.holds.put = async (hold) => {
      put.push(hold.id);
      await putRow.call(store.holds, hold);
    };
    const { report } = await store.reconcile();
    store.holds.ofRun = ofRun;
    expect([put, report.findings.length]).toEqual([[json.hold.id], 1]);
  });

  it.each([
    ['nothing', () => undefined],
    ['no more than an id', ({ id }: Hold) => ({ id })],
    ['of another hold', (hold: Hold) => ({ ...hold, reference: 'case-9' })],
  ])('goes on behind a row that is %s', async (_what, broken) => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    await store.set(RUN_ID);
    await store.set(OTHER);
    store.vault.held.clear();
    const { list } = store.holds;
    store.holds.list = async (limit, after) => {
      const page = await list.call(store.holds, limit, after);
      return { ...page, holds: page.holds.map((row, n) => (n === 0 ? broken(row) : row) as Hold) };
    };
    const { report } = await store.reconcile();
    expect(wrong(store)).toEqual([]);
    expect(report.status).toBe('incomplete');
    expect(new Set(report.findings.map(({ kind }) => kind))).toEqual(new Set(['hold_incomplete']));
  });

  it('goes on behind a hold that cannot be looked at', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    await store.set(RUN_ID);
    await store.set(OTHER);
    store.vault.held.clear();
    const { runEvents } = store.index;
    store.index.runEvents = async (runKey) => {
      if (runKey === OTHER) throw new TypeError('what it says quotes its input');
      return runEvents.call(store.index, runKey);
    };
    const { report } = await store.reconcile();
    expect(report.findings).toMatchObject([{ runKeys: [OTHER], detail: { code: 'TypeError' } }]);
    expect(store.vault.held.size).toBeGreaterThan(0);
  });

  it('reports a document that is no step, and goes by the step before it', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const { json } = await store.set(RUN_ID);
    const set = store.vault.versions.find(({ key }) => key.endsWith('-set.json')) as Version;
    const key = set.key.replace('00000001-set', '00000002-released');
    store.vault.versions.push({ ...set, key, versionId: 'planted', body: Buffer.from('null') });
    for (const lost of [false, true]) {
      if (lost) store.holds.rows.clear();
      const { report } = await store.reconcile();
      expect(report.findings).toMatchObject([
        { subject: json.hold.id, runKeys: [RUN_ID], detail: { unreadable: 1 } },
      ]);
      expect(wrong(store)).toEqual([]);
    }
  });

  it('goes by no release that was put far ahead of the last step, and reports it', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID));
    const { json } = await store.set(RUN_ID);
    const set = store.vault.versions.find(({ key }) => key.endsWith('-set.json')) as Version;
    const { reason, by, at, ...hold } = JSON.parse(Buffer.from(set.body).toString());
    const said = { reason, by, at };
    const released = { ...hold, ...said, number: 8, status: 'released', set: said };
    const key = set.key.replace('00000001-set', '00000008-released');
    const body = Buffer.from(JSON.stringify(released));
    store.vault.versions.push({ ...set, key, versionId: 'planted', body });
    for (const lost of [false, true]) {
      if (lost) store.holds.rows.clear();
      const { report } = await store.reconcile();
      expect(report.findings).toMatchObject([
        { subject: json.hold.id, runKeys: [RUN_ID], detail: { outOfTurn: 1 } },
      ]);
      expect(store.bits().map(([, bit]) => bit)).toEqual([true]);
      expect([...store.holds.rows.values()]).toMatchObject([{ number: 1 }]);
    }
  });

  it('counts itself as incomplete when it cannot look', async () => {
    const store = heldStore();
    store.holds.faults.refuse('list');
    await expect(store.reconcile()).rejects.toThrow();
    expect(store.counted).toMatchObject({ HoldsIncomplete: 1 });
  });
});

describe('GET /api/v1/holds', () => {
  it('lists the holds of a run, or all page by page, released ones too', async () => {
    const store = heldStore();
    await store.archive(eventOf(1, RUN_ID), eventOf(2, OTHER));
    await store.set(RUN_ID, 'case-1');
    await store.set(RUN_ID, 'case-2');
    await store.set(OTHER, 'case-3');
    await store.release(RUN_ID, 'case-2');
    const ofRun = await store.list({ runId: RUN_ID });
    expect(ofRun.json.items).toHaveLength(2);
    expect(ofRun.json.items).toContainEqual(
      expect.objectContaining({
        reference: 'case-2',
        status: 'released',
        released: expect.objectContaining({ reason: 'a court asks' }),
      }),
    );
    const first = await store.list({ limit: '2' });
    const rest = await store.list({ limit: '2', cursor: first.json.cursor });
    expect([first.json.items.length, rest.json.items.length, rest.json.cursor]).toEqual([
      2,
      1,
      null,
    ]);
    expect((await store.list({ limit: '0' })).status).toBe(400);
    expect((await store.list({ cursor: 'x' })).status).toBe(400);
  });
});

type Version = ReturnType<typeof heldStore>['vault']['versions'][number];

function outcomes({ vault }: ReturnType<typeof heldStore>) {
  return vault.versions
    .filter(({ key }) => key.includes('-outcome-'))
    .map(({ body }) => JSON.parse(Buffer.from(body).toString()));
}
