import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { Metric } from '../../../lambdas/shared/metric-names.ts';
import { auditedStore, INTERVAL } from '../audit/population.ts';

const EMPTY = {
  from: '2020-01-01T00:00:00Z',
  to: '2020-01-02T00:00:00Z',
  asOf: '2020-01-03T00:00:00Z',
};

describe('audit-retention', () => {
  it('locks a report also when there is nothing to say', async () => {
    const { audit, vault } = await auditedStore();
    const { report, location } = await audit(EMPTY);
    expect(report).toMatchObject({
      status: 'complete',
      population: { deliveries: 0, versions: 0, runs: 0 },
      findings: [],
    });
    const stored = vault.versions.find(({ key }) => key === location.key);
    expect(location.key).toMatch(/^reports\/audit-retention\/dt=2020-01-02\//);
    expect(stored?.lock?.mode).toBe('GOVERNANCE');
    expect(JSON.parse(stored?.content as string)).toEqual(report);
  });

  it('writes nothing new when it runs again', async () => {
    const { audit, vault, relock, index } = await auditedStore();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    const first = await audit();
    const before = JSON.stringify([vault.versions, [...index.findingRows]]);
    expect(await audit()).toEqual(first);
    expect(JSON.stringify([vault.versions, [...index.findingRows]])).toBe(before);
  });

  it('writes a second report beside the first when a rerun sees something else', async () => {
    const { audit, vault, relock } = await auditedStore();
    const first = await audit();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    const second = await audit();
    expect(second.location.key).not.toBe(first.location.key);
    expect(vault.versions.filter(({ key }) => key.startsWith('reports/'))).toHaveLength(2);
  });

  it('locks each finding before the report that counts it', async () => {
    const { audit, vault, relock } = await auditedStore();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    await audit();
    expect(vault.versions.slice(1).map(({ key }) => key.split('/')[0])).toEqual([
      'findings',
      'reports',
    ]);
  });

  it('shows findings beside the run they concern', async () => {
    const { audit, relock, index, evidence } = await auditedStore();
    relock({ retainUntil: '2026-04-01T00:00:00.000Z' });
    await audit();
    const [row] = index.runEventRows.values();
    expect(await index.runFindings(row?.runKey as string)).toMatchObject([
      { kind: 'retention_short', subject: `vault/${evidence.key}@v1` },
    ]);
  });

  it('counts what it audited', async () => {
    const { audit, counted } = await auditedStore();
    await audit();
    expect(counted).toMatchObject({
      [Metric.auditedVersions]: 1,
      [Metric.parityViolations]: 0,
      [Metric.auditIncomplete]: 0,
    });
    expect(counted).not.toHaveProperty(Metric.replicationFailures);
  });

  it('counts what the replica lacks apart from what the vault lacks', async () => {
    const { audit, counted, replicate } = await auditedStore();
    replicate(); // the rule is there, and copied nothing
    await audit();
    expect(counted).toMatchObject({
      [Metric.replicationFailures]: 1,
      [Metric.parityViolations]: 0,
    });
  });

  it.each([
    ['could not look at everything', { inspect: async () => ({ status: 'denied' as const }) }],
    ['could not look at all', { inspect: () => Promise.reject(new UnavailableError('s3')) }],
  ])('counts as incomplete when it %s', async (_what, changed) => {
    const { audit, see, counted } = await auditedStore();
    see(changed);
    await audit().catch(() => undefined);
    expect(counted[Metric.auditIncomplete]).toBe(1);
  });

  it.each(['acceptedInHour', 'runTraces'])(
    'fails and counts as incomplete when the index (%s) is down',
    async (method) => {
      const { audit, index, counted } = await auditedStore();
      index.faults.refuse(method, 9);
      await expect(audit()).rejects.toThrow(UnavailableError);
      expect(counted[Metric.auditIncomplete]).toBe(1);
    },
  );

  it('reports no success when the report cannot be locked', async () => {
    const { audit, vault, counted } = await auditedStore();
    vault.faults.refuse('putDocument');
    await expect(audit()).rejects.toThrow(UnavailableError);
    expect(counted[Metric.auditIncomplete]).toBe(1);
  });

  it.each([
    { ...INTERVAL, from: 'never' },
    { ...INTERVAL, to: INTERVAL.from },
  ])('refuses %j', async (request) => {
    const { audit } = await auditedStore();
    await expect(audit(request)).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_interval' }),
    );
  });
});
