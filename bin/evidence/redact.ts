import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { keyedHash } from '../../lambdas/domain/evidence/keyed-hash.ts';
import { redactSql } from '../../lambdas/domain/redaction/sql/redact-sql.ts';
import { type CliContext, CliError, ExitCode } from './cli.ts';

interface RedactOptions {
  readonly dialect?: string;
  readonly ndjson?: true;
}

interface Statement {
  readonly sql: string;
  readonly dialect?: string;
}

/** Public, so that a preview is the same everywhere; a store has a secret one for each epoch. */
const PREVIEW_KEY = { epoch: 0, secret: Buffer.from('lineage-evidence preview') };
const PSEUDONYM_DIGITS = 8;
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
    .description('what the coming policy keeps of SQL statements, read from standard input')
    .option('--dialect <name>', 'database they are for, as its adapter or driver calls it')
    .option('--ndjson', 'one {"sql", "dialect"} a line instead of one statement a line')
    .addHelpText(
      'after',
      `
A preview: stores still replace a statement whole, which keeps less. Needs no deployment and sends nothing. For each statement one line of JSON: text, mode (full, partial,
skeleton), rules and facts. Without a dialect all of them are considered, and less is kept.
Names that are data become pseudonyms made with a fixed, public preview key; a store uses a secret one.

  npx evidence redact --dialect postgres < statements.sql`,
    )
    .action((options: RedactOptions) => redactStatements(input, context, options));
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
    pseudonym: (identifier) =>
      `id_${keyedHash(PREVIEW_KEY, 'identifier/1', identifier).slice(0, PSEUDONYM_DIGITS)}`,
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
