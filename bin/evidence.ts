#!/usr/bin/env -S node --import tsx
import { Command, CommanderError } from 'commander';
import { type CliContext, ExitCode, exitCodeOf, sentenceOf } from './evidence/cli.ts';
import { addProducersCommand } from './evidence/producers.ts';
import { addRunCommand } from './evidence/run.ts';
import { addTraceCommand } from './evidence/trace.ts';

const context: CliContext = { env: process.env, stdout: process.stdout, stderr: process.stderr };

const program = new Command('evidence')
  .description(
    'Reads and administers an evidence store: which data a run touched, how that is known, whether it holds',
  )
  .option(
    '--url <url>',
    'base URL of the API; otherwise EVIDENCE_URL, --stage, or the local environment',
  )
  .option('--key <key>', 'bearer key; otherwise EVIDENCE_KEY or the local environment')
  .option('--stage <stage>', 'a deployment made with npm run deploy')
  .option('--json', 'one JSON document instead of tables')
  .exitOverride();

addRunCommand(program, context);
addTraceCommand(program, context);
addProducersCommand(program, context);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version end with 0, every usage error with 2.
    process.exitCode = error.exitCode === 0 ? ExitCode.holds : ExitCode.usage;
  } else {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
