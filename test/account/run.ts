import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { configOf } from '../../bin/evidence/administration.ts';
import { CliError, ExitCode, runCommand } from '../../bin/evidence/cli.ts';
import { readDeployment } from '../../bin/evidence/deployment.ts';
import { localDir } from '../../localstack/paths.ts';
import { accountOf, keepToAws, requireAws, s3Under } from './account.ts';
import type { AccountCheck } from './check.ts';
import { ACCOUNT_CHECKS } from './checks.ts';
import { createAccountClients } from './clients.ts';
import { renderPlan, renderResults, runChecks } from './report.ts';

interface Options {
  readonly stage?: string;
  readonly list?: boolean;
  readonly only?: string;
  readonly assume?: string;
  readonly yes?: boolean;
}

const program = new Command('test:account')
  .description(
    'Asks a real account what no emulator enforces: docs/limits.md has a row for each check',
  )
  .option('--stage <stage>', 'a deployment made with npm run deploy')
  .option('--list', 'prints what each check does, leaves and costs, and asks nobody')
  .option('--only <names>', 'these checks, with commas between')
  .option(
    '--assume <role-arn>',
    'a role that you may assume and that may put and read in the vault',
  )
  .option('--yes', 'confirms what is left and what it costs, without asking')
  .exitOverride()
  .action(run);

await runCommand(program);

async function run(options: Options): Promise<void> {
  const checks = chosen(options.only);
  if (options.list) {
    process.stdout.write(`${renderPlan(checks)}\n`);
    return;
  }
  const { env } = process;
  if (!options.stage) {
    throw new CliError(ExitCode.usage, 'Name the stage: --stage trial. --list needs none.');
  }
  const deployment = readDeployment(options.stage, env);
  requireAws(deployment, env);
  const config = configOf(deployment.stage);
  const { region } = deployment;
  const clients = createAccountClients({ region });
  keepToAws({ ...clients });
  const account = await accountOf(clients, deployment);
  await confirm(checks, `${account.id} ${deployment.stage}`, options.yes === true);

  const { assume } = options;
  const at = new Date().toISOString();
  const results = await runChecks(
    checks,
    {
      ...{ deployment, config, clients, sleep, now: Date.now, runId: randomUUID() },
      callerArn: account.callerArn,
      ...(env.EVIDENCE_KEY && { bearerKey: env.EVIDENCE_KEY }),
      ...(assume && { s3With: (policy) => s3Under(clients, region, assume, policy) }),
    },
    (name) => process.stderr.write(`${name} …\n`),
  );
  const report = { account: account.id, region, stage: deployment.stage, at, results };
  const file = join(localDir(env), `${deployment.stage}.account-checks.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  process.stdout.write(
    `AWS account ${account.id}, ${region}, stage ${deployment.stage}, ${at}\n\n${renderResults(results)}\n${file} has it all.\n`,
  );
  process.exitCode = results.some(({ verdict }) => verdict === 'fails')
    ? ExitCode.finding
    : results.some(({ verdict }) => verdict === 'unknown')
      ? ExitCode.cannotLook
      : ExitCode.holds;
}

function chosen(only: string | undefined): readonly AccountCheck[] {
  if (only === undefined) return ACCOUNT_CHECKS;
  return only.split(',').map((name) => {
    const check = ACCOUNT_CHECKS.find((one) => one.name === name);
    if (check) return check;
    throw new CliError(ExitCode.usage, 'There is no such check: --list names them all.');
  });
}

/** Says what a run leaves and costs, and goes on only when that was read. */
async function confirm(
  checks: readonly AccountCheck[],
  answer: string,
  isConfirmed: boolean,
): Promise<void> {
  process.stderr.write(`${renderPlan(checks)}\n\n`);
  if (isConfirmed) return;
  if (!process.stdin.isTTY) {
    throw new CliError(ExitCode.usage, 'Confirm it on a terminal, or give --yes.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const question = `This is what it does, leaves and costs. Type ${answer} to go on: `;
  const typed = await terminal.question(question).finally(() => terminal.close());
  if (typed.trim() !== answer) throw new CliError(ExitCode.usage, 'Nothing was asked.');
}
