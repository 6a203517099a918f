import type { Command } from 'commander';
import { changeByApi, readApi } from './api.ts';
import { type CliContext, ExitCode, globalOptions, print } from './cli.ts';
import {
  type HoldAnswer,
  type ReleaseAnswer,
  renderHolds,
  renderRelease,
  renderSet,
} from './render-hold.ts';

interface ChangeOptions {
  readonly reason: string;
  readonly reference: string;
  readonly submitter?: string;
}

const SUBMITTER = [
  '--submitter <group>',
  'whose run it is, when the id is no UUID and several groups use it',
] as const;

export function addHoldCommand(program: Command, context: CliContext): void {
  const hold = program
    .command('hold')
    .description('legal holds: what is under one cannot be deleted, however long it takes');
  const change = async (
    method: 'PUT' | 'DELETE',
    runId: string,
    { submitter, ...body }: ChangeOptions,
    command: Command,
  ) => {
    const options = globalOptions(command);
    const query = new URLSearchParams({ runId, ...(submitter !== undefined && { submitter }) });
    const text = await changeByApi(method, `/api/v1/hold?${query}`, body, options, context);
    print(context, options, text, method === 'PUT' ? renderSet : renderRelease);
    const { missing, status } = JSON.parse(text) as HoldAnswer | ReleaseAnswer;
    // A hold that found something gone, or is not through, is no hold of everything.
    if (status === 'partial' || missing.length > 0) process.exitCode = ExitCode.finding;
  };

  hold
    .command('set')
    .description('holds a run, its traces and the digests that seal them')
    .argument('<run-id>')
    .requiredOption('--reference <text>', 'what the case is called; names the hold of the run')
    .requiredOption('--reason <text>', 'why; locked with the hold, so no personal data')
    .option(...SUBMITTER)
    .action((runId: string, options: ChangeOptions, command: Command) =>
      change('PUT', runId, options, command),
    );

  hold
    .command('release')
    .description('releases one hold of a run; says what becomes deletable and when')
    .argument('<run-id>')
    .requiredOption('--reference <text>', 'the reference that the hold was set with')
    .requiredOption('--reason <text>', 'why it is released')
    .option(...SUBMITTER)
    .action((runId: string, options: ChangeOptions, command: Command) =>
      change('DELETE', runId, options, command),
    );

  hold
    .command('list')
    .description('holds of a run, or all, released ones included')
    .option('--run <run-id>', 'of this run only')
    .option('--cursor <cursor>', 'where the last page ended')
    .action(async ({ run, cursor }: { run?: string; cursor?: string }, command: Command) => {
      const options = globalOptions(command);
      const query = new URLSearchParams({
        ...(run !== undefined && { runId: run }),
        ...(cursor !== undefined && { cursor }),
      });
      print(
        context,
        options,
        await readApi(`/api/v1/holds?${query}`, options, context),
        renderHolds,
      );
    });
}
