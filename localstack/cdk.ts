import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { localEnvironment } from './aws.ts';
import { UserError } from './errors.ts';
import { run } from './process.ts';

/** How cdk is run. */
export interface CdkContext {
  /** Folder with cdk.json and node_modules. */
  readonly repository: string;
  readonly endpoint: string;
  readonly log: string;
  /** Where the running cdk is recorded. */
  readonly record: string;
  /** A sentence once going on is pointless (the emulator is gone); cdk alone would hang for over a minute. */
  readonly abortWhen: () => string | undefined;
}

/** What went wrong, as the last line of cdk's output that says so. */
export class CdkError extends Error {
  override readonly name = 'CdkError';
  readonly line: string;

  constructor(line: string) {
    super(line);
    this.line = line;
  }
}

/** Runs one cdk command within a time limit. Throws a UserError when it was ended, a CdkError when it failed. */
export async function runCdk(
  context: CdkContext,
  args: readonly string[],
  limitMillis: number,
): Promise<void> {
  const cli = join(context.repository, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  if (!existsSync(cli)) throw new UserError('The packages are missing: run npm ci first.');
  rmSync(context.log, { force: true });
  const result = await run(process.execPath, [cli, ...args, '--no-color'], {
    log: context.log,
    record: context.record,
    cwd: context.repository,
    env: localEnvironment(context.endpoint),
    limitMillis,
    abortWhen: context.abortWhen,
  });
  if (result.abortedBy !== undefined) throw new UserError(result.abortedBy);
  if (result.timedOut) {
    const late = `cdk ${args[0]} did not end within ${limitMillis / 1_000} s (${context.log})`;
    // Synthesis touches nothing that is deployed: no data has to go for another try.
    const remedy =
      args[0] === 'synth' ? 'run npm start again' : 'run npm run reset, then npm start again';
    throw new UserError(`${late}: ${remedy}, when the machine is less busy.`);
  }
  if (result.code !== 0) throw new CdkError(lastTellingLine(readFileSync(context.log, 'utf8')));
}

/** The line of a log that a person should see: the last one that speaks of a failure, else the last one at all. */
export function lastTellingLine(log: string): string {
  const lines = stripVTControlCharacters(log)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
    // Only says that something above it failed.
    .filter((line) => !/Subprocess exited with error|^Node\.js v/.test(line));
  const telling = lines.findLast((line) => /error|fail|unrecognized|unsupported|❌/i.test(line));
  return (telling ?? lines.at(-1) ?? 'no output').replace(/^❌\s*/, '').slice(0, 300);
}
