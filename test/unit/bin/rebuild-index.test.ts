import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { Command } from 'commander';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodeOf, sentenceOf } from '../../../bin/evidence/cli.ts';
import { rebuildDistributed } from '../../../bin/evidence/rebuild-distributed.ts';
import { addRebuildIndexCommand } from '../../../bin/evidence/rebuild-index.ts';
import type { Lock } from '../../../lambdas/domain/evidence/retention.ts';
import { type Hold, holdIdOf } from '../../../lambdas/domain/holds/hold.ts';
import { digestKey } from '../../../lambdas/domain/integrity/digest.ts';
import { RETENTION } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryProducers } from '../../support/fakes/producers.ts';
import {
  InMemoryNotes,
  inspectorOver,
  objectsOver,
  readerOver,
} from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { putSigned } from '../../support/signed-digest.ts';

const sfn = mockClient(SFNClient);
beforeEach(() => sfn.reset());

describe('a rebuild by the state machine', () => {
  const interval = { from: '2026-11-01T00:00:00.000Z' };
  const started: string[] = [];
  const run = () =>
    rebuildDistributed(new SFNClient({}), 'arn:machine', interval, (arn) => started.push(arn), 1);

  it('starts with the plan, says what it started, and waits for the answer', async () => {
    const rebuilt = { plan: 'p', status: 'complete' };
    sfn.on(StartExecutionCommand).resolves({ executionArn: 'arn:execution' });
    sfn
      .on(DescribeExecutionCommand)
      .resolvesOnce({ status: 'RUNNING' })
      .resolves({ status: 'SUCCEEDED', output: JSON.stringify(rebuilt) });
    expect(await run()).toEqual(rebuilt);
    expect(started).toEqual(['arn:execution']);
    const { input } = sfn.commandCalls(StartExecutionCommand)[0]?.args[0].input ?? {};
    expect(JSON.parse(input as string)).toEqual({ step: 'plan', ...interval });
  });

  it.each(['FAILED', 'TIMED_OUT', 'ABORTED'] as const)('cannot look after %s', async (status) => {
    sfn.on(StartExecutionCommand).resolves({ executionArn: 'arn:execution' });
    sfn.on(DescribeExecutionCommand).resolves({ status, error: 'FunctionFailedError' });
    const error = await run().catch((thrown) => thrown);
    expect(exitCodeOf(error)).toBe(3);
    expect(sentenceOf(error)).toContain(status);
  });
});

describe('evidence rebuild-index', () => {
  // Whatever but the notes is touched throws a TypeError.
  const reached = { index: { notes: new InMemoryNotes() } } as never;
  const run = (...args: string[]) => {
    const program = new Command('evidence').exitOverride().configureOutput({ writeErr: () => {} });
    const sink = { write: () => true } as unknown as NodeJS.WritableStream;
    addRebuildIndexCommand(program, { env: {}, stdout: sink, stderr: sink }, () => reached);
    for (const command of program.commands) {
      command.exitOverride().configureOutput({ writeErr: () => {} });
    }
    return program.parseAsync(['rebuild-index', ...args], { from: 'user' }).catch((error) => error);
  };

  it.each(['--from', '--to'])('refuses a %s that is no time, before it looks', async (option) => {
    const error = await run(option, 'yesterday');
    expect(exitCodeOf(error)).toBe(2);
    expect(sentenceOf(error)).toContain(`${option} must be a date or a time`);
  });

  it.each([
    ['2026-11-02', '2026-11-01'],
    ['2026-11-01', '2026-11-01T00:00:00Z'],
  ])('refuses an interval from %s to %s, before it looks', async (from, to) => {
    const error = await run('--from', from, '--to', to);
    expect(exitCodeOf(error)).toBe(2);
    expect(sentenceOf(error)).toBe('--from must be earlier than --to.');
  });

  it.each(['../x', 'unknown'])('refuses to resume %s, before it writes', async (plan) => {
    const error = await run('--resume', plan);
    expect(exitCodeOf(error)).toBe(2);
    expect(sentenceOf(error)).toContain('no plan of this name');
  });

  it.each([['--distributed'], ['--from', '2026-11-01']])(
    'refuses to resume a plan with %s',
    async (...args) => {
      const error = await run('--resume', 'p', ...args);
      expect(error.code).toBe('commander.conflictingOption');
    },
  );
});

describe('the end of a rebuild', () => {
  const AT = '2026-11-30T08:00:00.000Z';
  const run = { runId: 'r', runKey: 'r', group: 'g' };
  const set: Hold = {
    ...{ hold: 1, id: holdIdOf(run, 'c'), number: 1, status: 'active', ...run, reference: 'c' },
    ...{ reason: 'why', by: 'auditor', at: AT },
  };

  async function rebuilt(
    documents: Readonly<Record<string, unknown>>,
    start = async () => {},
    vault = new InMemoryVault(),
  ) {
    for (const [key, document] of Object.entries(documents)) {
      const lock = { mode: 'GOVERNANCE', retainUntil: '2099-01-01T00:00:00Z', clamped: false };
      await vault.putDocument(key, document, lock as Lock);
    }
    const reading = {
      ...{ inspector: inspectorOver(vault), objects: objectsOver(vault), vaultBucket: 'vault' },
      ...{ retention: RETENTION, clock: Date.now },
    };
    let started = 0;
    const reached = {
      index: {
        ...{ ...reading, vault, reader: readerOver(vault), stagingBucket: 'staging' },
        ...{ notes: new InMemoryNotes(), index: new InMemoryRunIndex() },
      },
      registers: {
        ...{ ...reading, directory: new InMemoryProducers(), fileEpoch: async () => {} },
        holds: { put: async () => {} },
      },
      startHoldReconciliation: async () => {
        started++;
        await start();
      },
    };
    let out = '';
    let err = '';
    const sinkTo = (take: (text: string) => void) =>
      ({ write: (text: string) => take(text) }) as unknown as NodeJS.WritableStream;
    const context = {
      env: {},
      stdout: sinkTo((text) => (out += text)),
      stderr: sinkTo((text) => (err += text)),
    };
    const program = new Command('evidence').option('--json').exitOverride();
    addRebuildIndexCommand(program, context, () => reached as never);
    const error = await program
      .parseAsync(['--json', 'rebuild-index'], { from: 'user' })
      .then(() => undefined)
      .catch((thrown) => thrown);
    return { error, started, answer: JSON.parse(out), err };
  }

  it('starts the daily look at the holds when there are any', async () => {
    const { started, answer, err, error } = await rebuilt({
      [`holds/${set.id}/00000001-set.json`]: set,
    });
    expect([started, answer.holds, error]).toEqual([1, 'started', undefined]);
    expect(err).toContain('reconcile-holds is started');
  });

  it('starts nothing where there is no hold', async () => {
    const { started, answer, error } = await rebuilt({});
    expect([started, answer.holds, error]).toEqual([0, 'none', undefined]);
  });

  it('ends with 1 when the look could not be started', async () => {
    const { answer, error } = await rebuilt(
      { [`holds/${set.id}/00000001-set.json`]: set },
      async () => {
        throw new Error('no right');
      },
    );
    expect([answer.holds, exitCodeOf(error)]).toEqual(['not_started', 1]);
    expect(sentenceOf(error)).toContain('start it yourself');
  });

  it('ends with 1 and the names of what is gone and of what counts for nothing', async () => {
    const released = {
      ...set,
      number: 8,
      status: 'released',
      set: { reason: 'w', by: 'a', at: AT },
    };
    const key = digestKey('2026-11-30T08:00:00.000Z');
    const object = {
      ...{ bucket: 'vault', key: `holds/${set.id}/00000002-released.json`, versionId: 'gone' },
      ...{ lastModified: AT, bytes: 1, sha256: '0'.repeat(64), records: 0 },
    };
    const vault = new InMemoryVault();
    await putSigned(vault, {
      ...{ digest: 1, location: { bucket: 'vault', key }, number: 0, previous: undefined },
      ...{ from: AT, to: '2026-11-30T08:15:00.000Z', sealedAt: AT, anchor: 'unanchored' },
      ...{ objects: [object], records: 0, root: '0'.repeat(64), recounts: [] },
    });
    const holds = {
      [`holds/${set.id}/00000001-set.json`]: set,
      [`holds/${set.id}/00000008-released.json`]: released,
    };
    const { answer, err, error } = await rebuilt(holds, undefined, vault);
    expect(answer).toMatchObject({ status: 'incomplete', missing: 1 });
    expect(err).toContain(`Gone, though a digest lists it: vault/${object.key}@gone`);
    expect(err).toContain('00000008-released.json');
    expect(exitCodeOf(error)).toBe(1);
    expect(sentenceOf(error)).toContain('1 objects that digests list are gone; 1 documents');
  });
});
