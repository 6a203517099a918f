import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AccessDeniedError } from '../../../lambdas/domain/errors.ts';
import { folderOf } from '../../../lambdas/domain/evidence/finding-folder.ts';
import { RUN_ID, runEventEntry } from '../../support/builders.ts';
import { inspectorOver } from '../../support/fakes/readers.ts';
import { auditedStore, INTERVAL, TRACE_ID } from './population.ts';

type Store = Awaited<ReturnType<typeof auditedStore>>;
const PROMISED = '2026-04-19T00:00:00.000Z';
const denied = () => Promise.reject(new AccessDeniedError('s3'));

/** What goes wrong in S3 behind the store's back, and the one finding it is. */
const VIOLATIONS: ReadonlyArray<readonly [string, string, (store: Store) => unknown]> = [
  ['a version that is gone', 'version_missing', ({ vault, evidence }) => vault.remove(evidence)],
  ['a version without lock', 'not_locked', ({ relock }) => relock(undefined)],
  ['a lock of another mode', 'lock_mode_differs', ({ relock }) => relock({ mode: 'COMPLIANCE' })],
  [
    'a lock that is a second short',
    'retention_short',
    ({ relock }) => relock({ retainUntil: '2026-04-18T23:59:59.000Z' }),
  ],
  [
    'a second version of a key',
    'version_not_indexed',
    ({ vault, evidence }) => vault.versions.push({ ...evidence, versionId: 'v9' }),
  ],
  [
    'an object that nobody filed',
    'version_not_indexed',
    ({ vault, evidence }) =>
      vault.versions.push({
        ...evidence,
        key: `${evidence.key}x`,
        versionId: 'v9',
        body: Buffer.from('x'),
      }),
  ],
  [
    'a delete marker',
    'delete_marker_present',
    ({ see, evidence: { bucket, key } }) =>
      see({
        async *list() {
          const lastModified = '2026-03-01T00:00:00.000Z';
          yield { bucket, key, versionId: 'marker', deleteMarker: true, bytes: 0, lastModified };
        },
      }),
  ],
  [
    'a trace that goes before its run and is not to be extended',
    'trace_shorter_than_run',
    ({ trace, refuse }) => {
      refuse();
      return trace('t1', '2026-03-10T00:00:00.000Z');
    },
  ],
  [
    'a trace that waits in staging',
    'trace_shorter_than_run',
    ({ trace }) => trace('t1', undefined),
  ],
  [
    'a version that may not be looked at',
    'audit_incomplete',
    ({ see }) => see({ inspect: async () => ({ status: 'denied' }) }),
  ],
  ['folders that may not be listed', 'audit_incomplete', ({ see }) => see({ folders: denied })],
  [
    'an hour that may not be listed',
    'audit_incomplete',
    ({ see }) => see({ list: () => ({ [Symbol.asyncIterator]: () => ({ next: denied }) }) }),
  ],
];

describe('retention audit', () => {
  it('finds nothing where everything is as promised', async () => {
    const { audit, trace } = await auditedStore();
    await trace('t1', PROMISED);
    const { report } = await audit();
    expect(report).toMatchObject({
      status: 'complete',
      population: { deliveries: 2, versions: 1, runs: 1 },
      checked: { versions: 1, traces: 1, listedVersions: 1 },
      unreadable: [],
      findings: [],
    });
  });

  it('takes a replay that was cut into other batches for what it is', async () => {
    const { audit, vault, evidence } = await auditedStore();
    vault.versions.push({ ...evidence, key: `${evidence.key}-replayed`, versionId: 'v9' });
    expect((await audit()).report).toMatchObject({ checked: { listedVersions: 2 }, findings: [] });
  });

  it('takes a copy with other content for no replay', async () => {
    const { audit, vault, evidence } = await auditedStore();
    const altered = gunzipSync(evidence.body).toString().replaceAll('START', 'ABORT');
    vault.versions.push({
      ...evidence,
      ...{ key: `${evidence.key}-planted`, versionId: 'v9', body: gzipSync(altered) },
    });
    expect((await audit()).report.findings).toMatchObject([{ kind: 'version_not_indexed' }]);
  });

  it.each(VIOLATIONS)('takes %s for %s and for nothing else', async (_what, kind, violate) => {
    const store = await auditedStore();
    await violate(store);
    expect(await store.kinds()).toEqual([kind]);
  });

  it.each(VIOLATIONS)(
    'names the same finding for %s on every rerun',
    async (_what, _kind, violate) => {
      const store = await auditedStore();
      await violate(store);
      const ids = async () => (await store.audit()).report.findings.map(({ id }) => id);
      expect(await ids()).toEqual(await ids());
    },
  );

  it('takes a longer lock for sound', async () => {
    const { relock, kinds } = await auditedStore();
    relock({ retainUntil: '2099-01-01T00:00:00.000Z' });
    expect(await kinds()).toEqual([]);
  });

  it('counts what the replica lacks, where there is one', async () => {
    const { audit, see, replicate } = await auditedStore();
    expect((await audit()).report).not.toHaveProperty('replication');
    replicate();
    const lock = { mode: 'GOVERNANCE' as const, retainUntil: PROMISED, legalHold: false };
    const look = async (replication?: 'PENDING' | 'COMPLETED' | 'FAILED', ageMinutes = 5) => {
      const lastModified = new Date(Date.parse(INTERVAL.asOf) - ageMinutes * 60_000).toISOString();
      see({
        inspect: async () => ({
          status: 'present',
          ...{ ...lock, lastModified },
          ...(replication && { replication }),
        }),
      });
      const { replication: counts, findings } = (await audit()).report;
      return [counts, findings.map(({ kind, status }) => `${kind} ${status}`)];
    };
    const confirmed = ['replication_failed confirmed'];
    expect(await look('FAILED')).toEqual([{ failed: 1, pending: 0 }, confirmed]);
    expect(await look(undefined)).toEqual([{ failed: 1, pending: 0 }, confirmed]);
    expect(await look('PENDING', 119)).toMatchObject([
      { failed: 0, pending: 1 },
      expect.anything(),
    ]);
    // no later audit would look at it again
    expect(await look('PENDING', 120)).toEqual([{ failed: 1, pending: 0 }, confirmed]);
    expect(await look('COMPLETED')).toEqual([{ failed: 0, pending: 0 }, []]);
  });

  it('counts records that the replica lacks, one finding a folder and hour, and resolves them', async () => {
    const { audit, see, replicate, vault } = await auditedStore();
    replicate();
    const landing = { lastModified: '2026-03-04T05:30:00.000Z', deleteMarker: false, bytes: 1 };
    const version = (key: string) => ({ bucket: 'vault', key, versionId: `of ${key}`, ...landing });
    const records = [
      ...['', '.sig'].map((end) => version(`digests/dt=2026-03-04/053000.json${end}`)),
      version('public-keys/ab.pem'),
      version('reports/holds/dt=2026-03-04/053000-a.json'),
      { ...version('public-keys/old.pem'), lastModified: '2026-03-01T00:00:00.000Z' },
    ];
    const over = inspectorOver(vault);
    see({
      ...over,
      async *list(bucket, prefix) {
        yield* over.list(bucket, prefix);
        yield* records.filter(({ key }) => key.startsWith(prefix));
      },
      folders: async (bucket, prefix) =>
        prefix === 'reports/' ? ['reports/holds/'] : over.folders(bucket, prefix),
      inspect: async ({ key }) => ({
        ...{ status: 'present', mode: 'GOVERNANCE', retainUntil: '2099-01-01T00:00:00.000Z' },
        ...{ legalHold: false, lastModified: landing.lastModified },
        replication: key.startsWith('lineage/') ? 'COMPLETED' : 'FAILED',
      }),
    });
    const { replication, findings } = (await audit()).report;
    expect(replication).toEqual({ failed: 4, pending: 0 });
    const hour = 'dt=2026-03-04/hour=05/';
    expect(findings.map(({ subject, detail }) => [subject, detail]).sort()).toEqual([
      [`vault/digests/${hour}`, { status: 'FAILED', failed: 2 }],
      [`vault/public-keys/${hour}`, { status: 'FAILED', failed: 1 }],
      [`vault/reports/${hour}`, { status: 'FAILED', failed: 1 }],
    ]);

    const failing = new Set(['public-keys/ab.pem']);
    let status: 'present' | 'denied' = 'present';
    see({
      inspect: async ({ key }) =>
        status === 'denied'
          ? { status }
          : {
              ...{ status, mode: 'GOVERNANCE', retainUntil: '2099-01-01T00:00:00.000Z' },
              ...{ legalHold: false, lastModified: landing.lastModified },
              replication: failing.has(key) ? 'FAILED' : 'COMPLETED',
            },
    });
    const of = async (request: object) =>
      (await audit({ ...INTERVAL, ...request })).report.findings
        .filter(({ kind }) => kind === 'replication_failed')
        .map(({ subject, status }) => `${subject.split('/')[1]} ${status}`)
        .sort();
    // Another hour, a part of the hour, and what may not be looked at say nothing of it.
    const [from, asOf] = ['2026-03-04T06:00:00.000Z', '2026-03-06T00:00:00.000Z'];
    expect(await of({ from, to: '2026-03-04T07:00:00.000Z', asOf })).toEqual([]);
    expect(await of({ from: '2026-03-04T05:45:00.000Z', asOf })).toEqual([]);
    status = 'denied';
    expect(await of({ asOf })).toEqual([]);
    status = 'present';
    expect(await of({ asOf })).toEqual([
      'digests resolved',
      'public-keys confirmed',
      'reports resolved',
    ]);
    failing.clear();
    expect(await of({ asOf: '2026-03-07T00:00:00.000Z' })).toEqual(['public-keys resolved']);
  });

  it('resolves that a version is not indexed once its rows are there, and not when it is gone', async () => {
    const { audit, index, vault, evidence } = await auditedStore();
    const planted = {
      ...evidence,
      ...{ key: `${evidence.key}x`, versionId: 'v9', body: Buffer.from('x') },
    };
    vault.versions.push(planted);
    const rows = [...index.deliveryRows];
    index.deliveryRows.clear();
    expect((await audit()).report.findings).toMatchObject([
      { kind: 'version_not_indexed', status: 'confirmed' },
      { kind: 'version_not_indexed', status: 'confirmed' },
    ]);
    for (const [key, row] of rows) index.deliveryRows.set(key, row);
    const later = { ...INTERVAL, asOf: '2026-03-06T00:00:00.000Z' };
    const subject = `vault/${evidence.key}@v1`;
    const findings = async (request: object) =>
      (await audit({ ...later, ...request })).report.findings;
    expect(await findings({})).toHaveLength(2);
    expect((await findings({})).map(({ subject, status }) => [subject, status])).toEqual([
      [`vault/${evidence.key}x@v9`, 'confirmed'],
    ]);
    const steps = await index.folderFindings(folderOf(subject));
    expect(steps.filter((step) => step.subject === subject).map(({ status }) => status)).toEqual([
      'confirmed',
      'resolved',
    ]);
    vault.remove(planted);
    expect(await findings({ asOf: '2026-03-07T00:00:00.000Z' })).toEqual([]);
  });

  it('takes what stays as it was for no new step', async () => {
    const { audit, index, vault, evidence, relock } = await auditedStore();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    vault.versions.push({ ...evidence, key: `${evidence.key}x`, body: Buffer.from('x') });
    const kinds = ['retention_short', 'version_not_indexed'];
    const steps = () => index.findingRows.size;
    for (const day of ['05', '06', '07']) {
      const { findings } = (await audit({ ...INTERVAL, asOf: `2026-03-${day}T00:00:00.000Z` }))
        .report;
      expect(findings.map(({ kind }) => kind).sort()).toEqual(kinds);
      for (const { at } of findings) expect(at).toBe(INTERVAL.asOf);
      expect(steps()).toBe(2);
    }
    const documents = vault.versions.filter(({ key }) => key.startsWith('findings/'));
    expect(documents).toHaveLength(2);
    relock({ retainUntil: '2026-04-02T00:00:00.000Z' });
    await audit({ ...INTERVAL, asOf: '2026-03-08T00:00:00.000Z' });
    expect(steps()).toBe(3);
  });

  it('resolves what it finds no longer, once', async () => {
    const { audit, relock, index, counted } = await auditedStore();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    const [opened] = (await audit()).report.findings;
    relock({ retainUntil: PROMISED });
    const later = { ...INTERVAL, asOf: '2026-03-06T00:00:00.000Z' };
    expect((await audit(later)).report.findings).toMatchObject([
      { id: opened?.id, kind: 'retention_short', status: 'resolved', at: later.asOf },
    ]);
    expect(counted.ParityViolations).toBe(1);
    expect((await audit(later)).report.findings).toEqual([]);
    expect((await index.runFindings(RUN_ID)).map(({ status }) => status).sort()).toEqual([
      'confirmed',
      'resolved',
    ]);
  });

  it('resolves nothing that it could not look at', async () => {
    const { audit, relock, see } = await auditedStore();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    await audit();
    see({ inspect: async () => ({ status: 'denied' }) });
    expect((await audit()).report.findings).toMatchObject([{ kind: 'audit_incomplete' }]);
  });

  it('says which runs a finding concerns', async () => {
    const { vault, evidence, audit } = await auditedStore();
    vault.remove(evidence);
    expect((await audit()).report.findings).toMatchObject([
      {
        runKeys: [RUN_ID],
        at: INTERVAL.asOf,
        plane: 'lineage',
        severity: 'critical',
        subject: `vault/${evidence.key}@v1`,
      },
    ]);
  });

  it('is one finding a trace, of the delivery that goes first', async () => {
    const { audit, trace, refuse } = await auditedStore();
    refuse();
    await trace('t1', '2026-03-11T00:00:00.000Z');
    await trace('t2', '2026-03-10T00:00:00.000Z');
    await trace('t3', PROMISED);
    expect((await audit()).report.findings).toMatchObject([
      {
        subject: `${RUN_ID}/${TRACE_ID}`,
        detail: {
          receiptId: 't2',
          traceUntil: '2026-03-10T00:00:00.000Z',
          runUntil: '2026-03-14T05:06:07.890Z',
          deliveries: 2,
        },
      },
    ]);
  });

  it('counts what it may not look at as unread, never as sound', async () => {
    const { audit, see, evidence } = await auditedStore();
    see({ inspect: async () => ({ status: 'denied' }) });
    expect((await audit()).report).toMatchObject({
      status: 'incomplete',
      checked: { versions: 0 },
      unreadable: [`vault/${evidence.key}@v1`],
    });
  });

  it('does not let a trace that may not be looked at count against the versions that were', async () => {
    const { audit, see, trace, evidence } = await auditedStore();
    await trace('t1', '2026-03-10T00:00:00.000Z');
    const lastModified = '2026-03-01T00:00:00.000Z';
    const lock = {
      ...{ lastModified, mode: 'GOVERNANCE' as const, retainUntil: PROMISED },
      legalHold: false,
    };
    see({
      inspect: async ({ key }) =>
        key === evidence.key ? { status: 'present', ...lock } : { status: 'denied' },
    });
    expect((await audit()).report).toMatchObject({
      status: 'incomplete',
      checked: { versions: 1 },
      unreadable: ['vault/promoted/t1@t1'],
    });
  });

  it.each([
    ['2026-03-04T05:06:07.890Z', 2],
    ['2026-03-04T05:06:07.891Z', 0],
  ])('takes deliveries from %s on: %i', async (from, deliveries) => {
    const { audit } = await auditedStore();
    expect((await audit({ ...INTERVAL, from })).report.population.deliveries).toBe(deliveries);
  });

  it.each([
    ['2026-03-04T05:06:07.891Z', 2],
    ['2026-03-04T05:06:07.890Z', 0],
  ])('takes deliveries before %s: %i', async (to, deliveries) => {
    const { audit } = await auditedStore();
    expect((await audit({ ...INTERVAL, to })).report.population.deliveries).toBe(deliveries);
  });

  it('leaves the hours at the edges of the interval to the audits beside it', async () => {
    const { audit } = await auditedStore();
    const { report } = await audit({ ...INTERVAL, from: '2026-03-04T05:06:07.891Z' });
    expect(report).toMatchObject({ checked: { listedVersions: 0 }, findings: [] });
  });

  it('asks S3 once for each version, however many rows point at it', async () => {
    const { audit, see, index, evidence } = await auditedStore();
    await index.putRunEvent(runEventEntry({ receiptId: 'x' }));
    const asked: string[] = [];
    see({
      inspect: async ({ versionId }) => {
        asked.push(versionId);
        const lock = { mode: 'GOVERNANCE', retainUntil: PROMISED, legalHold: false } as const;
        return { status: 'present', lastModified: INTERVAL.asOf, ...lock };
      },
    });
    await audit();
    expect(asked).toEqual([evidence.versionId]);
  });
});
