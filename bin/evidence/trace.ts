import type { Command } from 'commander';
import { readApi } from './api.ts';
import { type CliContext, globalOptions, print } from './cli.ts';
import { renderTrace } from './render-trace.ts';

export function addTraceCommand(program: Command, context: CliContext): void {
  program
    .command('trace')
    .description('the spans of one trace, the runs they belong to, and how long both are kept')
    .argument('<trace-id>')
    .action(async (traceId: string, _options: unknown, command: Command) => {
      const options = globalOptions(command);
      const path = `/api/v1/traces/${encodeURIComponent(traceId)}`;
      print(context, options, await readApi(path, options, context), renderTrace);
    });
}
