import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { ownSentence } from '../../lambdas/domain/errors.ts';
import { type RedactionPolicy, readPolicy, STRICT } from '../../lambdas/domain/redaction/policy.ts';
import { RedactionPolicyError } from '../../lambdas/domain/redaction/policy-rules.ts';
import { pseudonymOf } from '../../lambdas/domain/redaction/redact-value.ts';
import { redactSql } from '../../lambdas/domain/redaction/sql/redact-sql.ts';
import { type CliContext, CliError, ExitCode, globalOptions } from './cli.ts';
import { PREVIEW_KEY, previewFile, renderPreview } from './redact-event.ts';

interface RedactOptions {
  readonly dialect?: string;
  readonly ndjson?: true;
  readonly policy?: string;
  readonly event?: readonly string[];
}

interface Statement {
  readonly sql: string;
  readonly dialect?: string;
}

/** A write for each statement would cost more than its redaction. */
const CHUNK_CHARACTERS = 64 * 1024;
const PROGRESS_MILLIS = 2_000;

export function addRedactCommand(
  program: Command,
  context: CliContext,
  input: NodeJS.ReadableStream,
): void {
  program
    .command('redact')
    .description('what a store would keep of SQL statements, or of whole events and exports')
    .option('--dialect <name>', 'database they are for, as its adapter or driver calls it')
    .option('--ndjson', 'one {"sql", "dialect"} a line instead of one statement a line')
    .option('--policy <file>', 'the redaction of a configuration, as JSON; otherwise strict')
    .option('--event <file...>', 'OpenLineage events or OTLP/JSON exports instead of statements')
    .addHelpText(
      'after',
      `
A preview: needs no deployment and sends nothing. For each statement one line of JSON: text, mode (full, partial,
skeleton), rules and facts. Without a dialect all of them are considered, and less is kept. For each event, and for
each trace of an export: the stored document, every path that was changed and why, and the facts that were taken.
Pseudonyms and fingerprints are made with a fixed, public preview key; a store uses a secret one.

  npx evidence redact --dialect postgres < statements.sql
  npx evidence redact --event event.json --policy redaction.json`,
    )
    .action(async (options: RedactOptions, command: Command) => {
      if (options.event === undefined) {
        refuseBeside('statements', { policy: options.policy });
        return redactStatements(input, context, options);
      }
      refuseBeside('--event', { dialect: options.dialect, ndjson: options.ndjson });
      const policy = options.policy === undefined ? STRICT : await policyIn(options.policy);
      const { json } = globalOptions(command);
      for (const file of options.event) {
        for (const preview of await previewFile(file, policy)) {
          context.stdout.write(`${json ? JSON.stringify(preview) : renderPreview(preview)}\n`);
        }
      }
    });
}

/**
 * An option that would change nothing is a mistake: what is shown would not be what was asked for.
 * @throws CliError usage (2)
 */
function refuseBeside(what: string, options: Readonly<Record<string, unknown>>): void {
  const [given] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
  if (given === undefined) return;
  throw new CliError(ExitCode.usage, `--${given} says nothing about ${what}: leave it out.`);
}

/** @throws CliError usage (2) that says what is wrong with the policy */
async function policyIn(file: string): Promise<RedactionPolicy> {
  try {
    return readPolicy(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    const why =
      error instanceof RedactionPolicyError ? ownSentence(error) : 'it cannot be read as JSON';
    throw new CliError(ExitCode.usage, `${file}: ${why}`);
  }
}

async function redactStatements(
  input: NodeJS.ReadableStream,
  { stdout, stderr }: CliContext,
  options: RedactOptions,
): Promise<void> {
  let chunk = '';
  let line = 0;
  let lastProgress = Date.now();
  const flush = async () => {
    const isTaken = stdout.write(chunk);
    chunk = '';
    if (!isTaken) await once(stdout, 'drain');
  };
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === '') continue;
    const statement = options.ndjson ? statementOf(text, line) : { sql: text };
    chunk += `${previewOf({ dialect: options.dialect, ...statement })}\n`;
    if (chunk.length >= CHUNK_CHARACTERS) await flush();
    if (Date.now() - lastProgress >= PROGRESS_MILLIS) {
      stderr.write(`${line} lines read\n`);
      lastProgress = Date.now();
    }
  }
  if (chunk !== '') await flush();
}

function previewOf({ sql, dialect }: { sql: string; dialect: string | undefined }): string {
  const { text, mode, rules, facts } = redactSql(sql, {
    ...(dialect === undefined ? {} : { dialect }),
    pseudonym: (identifier) => pseudonymOf(identifier, PREVIEW_KEY),
  });
  return JSON.stringify({ text, mode, rules, facts });
}

/** @throws CliError usage (2) that names the line and the rule, and repeats nothing of it */
function statementOf(text: string, line: number): Statement {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || !('sql' in value)) {
    throw new CliError(ExitCode.usage, `Line ${line} is no JSON object with a member sql.`);
  }
  const { sql, dialect } = value as { sql: unknown; dialect?: unknown };
  if (typeof sql !== 'string') {
    throw new CliError(ExitCode.usage, `Line ${line}: sql must be a string.`);
  }
  if (dialect === undefined || dialect === null) return { sql };
  if (typeof dialect !== 'string') {
    throw new CliError(ExitCode.usage, `Line ${line}: dialect must be a string.`);
  }
  return { sql, dialect };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
