import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { Command } from 'commander';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodeOf, sentenceOf } from '../../../bin/evidence/cli.ts';
import { rebuildDistributed } from '../../../bin/evidence/rebuild-distributed.ts';
import { addRebuildIndexCommand } from '../../../bin/evidence/rebuild-index.ts';
import { InMemoryNotes } from '../../support/fakes/readers.ts';

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
    expect(sentenceOf(error)).toContain(`${option} is no time`);
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
