import { Command } from 'commander';
import { type CliContext, runCommand } from './evidence/cli.ts';
import { addEraseSubjectCommand } from './evidence/erase-subject.ts';
import { addHoldCommand } from './evidence/hold.ts';
import { addProducersCommand } from './evidence/producers.ts';
import { addRebuildIndexCommand } from './evidence/rebuild-index.ts';
import { addRedactCommand } from './evidence/redact.ts';
import { addRunCommand } from './evidence/run.ts';
import { addTraceCommand } from './evidence/trace.ts';
import { addVerifyCommand } from './evidence/verify.ts';

const context: CliContext = { env: process.env, stdout: process.stdout, stderr: process.stderr };

const program = new Command('evidence')
  .description(
    'Reads and administers an evidence store: which data a run touched, how that is known, whether it holds',
  )
  .option(
    '--url <url>',
    'base URL of the API; otherwise --stage, EVIDENCE_URL, or the local environment',
  )
  .option('--key <key>', 'bearer key; otherwise EVIDENCE_KEY or the local environment')
  .option(
    '--stage <stage>',
    'a deployment made with npm run deploy; otherwise STAGE, or the local one',
  )
  .option('--json', 'one JSON document instead of tables')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();

addRunCommand(program, context);
addTraceCommand(program, context);
addHoldCommand(program, context);
addProducersCommand(program, context);
addVerifyCommand(program, context);
addRebuildIndexCommand(program, context);
addRedactCommand(program, context, process.stdin);
addEraseSubjectCommand(program, context, process.stdin);

await runCommand(program);
