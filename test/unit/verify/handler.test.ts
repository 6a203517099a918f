import { describe, expect, it } from 'vitest';
import { createHandler, type VerifyHandlerDependencies } from '../../../lambdas/verify/handler.ts';
import { RETENTION } from '../../support/builders.ts';
import { inspectorOver, sealedStoreOver } from '../../support/fakes/readers.ts';
import { GUARDS, guardsSeen } from '../../support/guards.ts';
import { recorder } from '../../support/recorder.ts';
import { verifying } from '../verification/verifying.ts';

const context = (left = 900_000) => ({ getRemainingTimeInMillis: () => left });

async function verifier(overrides: Partial<VerifyHandlerDependencies> = {}) {
  const store = await verifying();
  const recorded = recorder();
  const { vault, index } = store.sealed;
  const dependencies: VerifyHandlerDependencies = {
    ...{ vault, index, retention: RETENTION, clock: () => store.now },
    ...{ store: sealedStoreOver(vault), inspector: inspectorOver(vault), periodDays: 1 },
    ...{ guards: GUARDS, guardReader: guardsSeen() },
    ...recorded,
    ...overrides,
  };
  const handle = createHandler(dependencies);
  return {
    store,
    run: (request = {}, left?: number) => handle(request, context(left)),
    ...recorded,
  };
}

describe('the verify function', () => {
  it('locks a report, counts, and answers where the report stands', async () => {
    const { store, run, counted, publications } = await verifier();
    const { report, location } = await run();
    expect(report).toMatchObject({ status: 'complete', anchor: 'unanchored', findings: [] });
    expect(location.key).toMatch(/^reports\/verify\/dt=2026-03-04\/.*\.json$/);
    const stored = store.vault.versions.find(({ key }) => key === location.key);
    expect(stored?.lock?.mode).toBe(RETENTION.mode);
    expect(counted).toMatchObject({ IntegrityViolations: 0, AuditIncomplete: 0 });
    expect(counted.VerifiedBytes).toBe(report.checked.bytes);
    expect(publications).toHaveLength(1);
  });

  it('counts what is broken, records it, and still writes its report', async () => {
    const { store, run, counted } = await verifier();
    const [gone] = store.evidence();
    if (gone) store.vault.remove(gone);
    const { report } = await run();
    expect(report.findings).toMatchObject([{ kind: 'integrity_broken', severity: 'critical' }]);
    expect(counted).toMatchObject({ IntegrityViolations: 1, AuditIncomplete: 0 });
    expect(store.sealed.findings('integrity_broken')).toHaveLength(1);
  });

  it('begins nothing without time for it, and says that it is incomplete', async () => {
    const { run, counted } = await verifier();
    const { report } = await run({}, 180_000);
    expect(report).toMatchObject({ status: 'incomplete', checked: { digests: 0 } });
    expect(counted).toMatchObject({ AuditIncomplete: 1, IntegrityViolations: 0 });
  });

  it('fails loudly, with the code alone', async () => {
    const guardReader = {
      ...guardsSeen(),
      bucket: async () => {
        throw new Error('a canary');
      },
    };
    const { run, lines, counted, publications } = await verifier({ guardReader });
    await expect(run()).rejects.toThrow();
    expect(lines).toEqual([
      { level: 'error', message: 'not verified', extra: [{ code: 'Error' }] },
    ]);
    expect(counted).toEqual({ AuditIncomplete: 1 });
    expect(publications).toHaveLength(1);
  });
});
