#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { Command } from 'commander';
import { claimFolder } from '../localstack/local-folder.ts';
import { localDir, REPOSITORY } from '../localstack/paths.ts';
import { administrationOf, configOf } from './evidence/administration.ts';
import { CliError, ExitCode, runCommand } from './evidence/cli.ts';
import { clientUrlsOf, type DeploymentRecord, resourcesFrom } from './evidence/deployment.ts';

interface DeployOptions {
  readonly stage?: string;
  readonly yes?: boolean;
}

/** Deploys a stage into an account: asks about what cannot be undone, runs cdk, makes the first HMAC key. */
async function deploy({ stage, yes }: DeployOptions): Promise<string> {
  if (!stage || stage === 'local') {
    throw new CliError(
      ExitCode.usage,
      'Name the stage: npm run deploy -- --stage trial. The local one is npm start.',
    );
  }
  const config = configOf(stage);
  const { mode, lineageDays } = config.retention;
  if (mode === 'COMPLIANCE' && !yes) {
    if (!process.stdin.isTTY) {
      throw new CliError(
        ExitCode.usage,
        'COMPLIANCE cannot be undone: confirm it on a terminal, or give --yes.',
      );
    }
    const question = `COMPLIANCE: what this stage stores cannot be deleted by anybody for ${lineageDays} days, not even by the account's root. Type ${config.name} to go on: `;
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await terminal.question(question).finally(() => terminal.close());
    if (answer.trim() !== config.name) throw new CliError(ExitCode.usage, 'Nothing was deployed.');
  }

  await requireCredentials();
  const folder = localDir(process.env);
  claimFolder(folder);
  const outputsFile = join(folder, `${config.name}.outputs.json`);
  const stacks = `LineageEvidence-${config.name}/*`;
  const cdk = spawnSync('npx', ['cdk', 'deploy', stacks, '--outputs-file', outputsFile], {
    cwd: REPOSITORY,
    stdio: 'inherit',
  });
  if (cdk.status !== 0) {
    throw new CliError(
      ExitCode.cannotLook,
      'cdk did not finish: read what it said above, then run the same command again.',
    );
  }

  const record = recordOf(config.name, JSON.parse(readFileSync(outputsFile, 'utf8')));
  await administrationOf(record).ensureFirstEpoch();
  const file = join(folder, `${config.name}.json`);
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  return [
    `Deployed to ${record.apiUrl}; ${file} says where everything is.`,
    'Register a producer and a reader:',
    `  npx evidence --stage ${config.name} producers add my-server --scopes ingest:lineage,ingest:traces`,
    `  npx evidence --stage ${config.name} producers add my-auditor --scopes read,audit`,
  ].join('\n');
}

/** Asks before synthesis, which takes half a minute. @throws the SDK's CredentialsProviderError when there are none */
async function requireCredentials(): Promise<void> {
  await new S3Client({ region: 'us-east-1' }).config.credentials();
}

function recordOf(
  stage: string,
  byStack: Record<string, Record<string, string>>,
): DeploymentRecord {
  const outputs: Record<string, string> = Object.assign({}, ...Object.values(byStack));
  const output = (name: string) => {
    const value = outputs[name];
    if (value === undefined)
      throw new CliError(ExitCode.cannotLook, `The stacks publish no ${name}.`);
    return value;
  };
  const apiUrl = output('ApiUrl');
  const region = output('HmacKeyArn').split(':')[3] as string;
  return { stage, region, apiUrl, clientUrls: clientUrlsOf(apiUrl), ...resourcesFrom(output) };
}

const program = new Command('deploy')
  .description('Deploys a stage into your AWS account')
  .option('--stage <stage>', 'an environment of lib/config/environments.ts')
  .option('--yes', 'confirms COMPLIANCE, which cannot be undone, without asking')
  .exitOverride()
  .action(async (options: DeployOptions) => {
    process.stdout.write(`${await deploy(options)}\n`);
  });

await runCommand(program);
