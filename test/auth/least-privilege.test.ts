import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { archiveChecks } from './archive-checks.ts';
import { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { auditChecks, rebuildChecks, reconcileChecks, rejectionChecks } from './control-checks.ts';
import { declaredRights } from './declared-rights.ts';
import { ingestChecks, producerChecks, queryChecks } from './front-door-checks.ts';
import { holdChecks } from './hold-checks.ts';
import { sealChecks, verifyChecks } from './integrity-checks.ts';
import { proveRights } from './proof.ts';
import { deployCrashingArchive, redriveChecks } from './redrive-checks.ts';
import { createWorld } from './world.ts';

/** Those whose checks were seen to miss every right; of holds, seal, verify, the audits and the rebuild they were not yet. */
const FUNCTIONS = [
  'ingest',
  'ingestTraces',
  'query',
  'producers',
  'archive',
  'archiveTraces',
  'redrive',
  'reportRejections',
] as const;

/** Some 30 rights, each with a run of the function; a busy machine took four minutes. */
const PROVEN_WITHIN_MILLIS = 600_000;

describe('the rights of a function', () => {
  let bench: Bench;
  let checks: readonly Check[];
  let crashing: Awaited<ReturnType<typeof deployCrashingArchive>>;
  beforeAll(async () => {
    bench = await Bench.open(inject('enforcing'));
    const world = await createWorld(bench);
    crashing = await deployCrashingArchive(bench);
    checks = [
      ...ingestChecks(bench),
      ...queryChecks(bench, world),
      ...producerChecks(bench),
      ...holdChecks(bench, world),
      ...archiveChecks(bench),
      ...redriveChecks(bench, crashing.name),
      ...sealChecks(bench, world),
      ...verifyChecks(bench),
      ...auditChecks(bench, world),
      ...reconcileChecks(bench),
      ...rejectionChecks(bench),
      ...rebuildChecks(bench, world),
    ];
  });
  afterAll(async () => {
    await crashing?.remove();
    await bench?.gateway.close();
  });

  it.each(FUNCTIONS)(
    'are those that %s needs',
    async (fn) => {
      const mine = checks.filter((check) => check.fn === fn);
      const proof = await proveRights(fn, mine, await declaredRights(fn, bench), bench);
      expect(proof).toEqual({ broken: [], unused: [], idle: [] });
    },
    PROVEN_WITHIN_MILLIS,
  );
});
