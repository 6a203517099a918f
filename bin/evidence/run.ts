import type { Command } from 'commander';
import { readApi } from './api.ts';
import { type CliContext, globalOptions, print } from './cli.ts';
import { renderRun } from './render-run.ts';

export function addRunCommand(program: Command, context: CliContext): void {
  program
    .command('run')
    .description('what the store holds of one run')
    .argument('<run-id>')
    .option(
      '--submitter <group>',
      'the group to ask for, when the id is no UUID and several groups use it',
    )
    .action(async (runId: string, { submitter }: { submitter?: string }, command: Command) => {
      const options = globalOptions(command);
      const query = new URLSearchParams({ runId, ...(submitter !== undefined && { submitter }) });
      print(context, options, await readApi(`/api/v1/run?${query}`, options, context), renderRun);
    });
}
