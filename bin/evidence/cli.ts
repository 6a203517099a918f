import { type Command, CommanderError } from 'commander';
import { CONNECTION_CODES, errorCodes } from '../../lambdas/domain/errors.ts';

/** What an exit code means to a script (contract.md, Command line). */
export const ExitCode = { holds: 0, finding: 1, usage: 2, cannotLook: 3 } as const;

/** As a shell names a program that SIGPIPE ended: never 0, which of `verify` would say that all of it holds. */
const READER_LEFT = 141;

/** The world a command runs in. */
export interface CliContext {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
}

export interface GlobalOptions {
  readonly url?: string;
  readonly key?: string;
  readonly stage?: string;
  readonly json?: boolean;
}

/** Ends a command with one sentence and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly sentence: string;

  constructor(exitCode: number, sentence: string) {
    super(sentence);
    this.exitCode = exitCode;
    this.sentence = sentence;
  }
}

const CREDENTIAL_ERRORS = new Set([
  'CredentialsProviderError',
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'InvalidAccessKeyId',
  'AccessDeniedException',
  'AccessDenied',
]);

export function globalOptions(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>();
}

export function exitCodeOf(error: unknown): number {
  return error instanceof CliError ? error.exitCode : ExitCode.cannotLook;
}

export function sentenceOf(error: unknown): string {
  if (error instanceof CliError) return error.sentence;
  const names = errorCodes(error);
  if (names.some((name) => CREDENTIAL_ERRORS.has(name))) {
    return 'AWS does not accept your credentials, or there are none: log in, or set AWS_PROFILE.';
  }
  const connection = names.find((name) => CONNECTION_CODES.has(name));
  if (connection !== undefined) {
    return `The store does not answer (${connection}): check the URL and the region, or run npm start for a local one.`;
  }
  return `The store did not answer as it should (${names.at(-1)}): check the URL, the region and your rights.`;
}

/**
 * Ends the program when an answer cannot be written: quietly when its reader has seen enough (`| head`), else with a
 * sentence. What was written up to there is no answer, so that neither is an exit code of {@link ExitCode.holds}.
 */
function endOnFailedWrite(stdout: NodeJS.WritableStream): void {
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(READER_LEFT);
    process.stderr.write(`The answer could not be written (${code}).\n`);
    process.exit(ExitCode.cannotLook);
  });
}

/** Runs a program that was made with `exitOverride()`; whatever happens, it ends with one sentence and an {@link ExitCode}. */
export async function runCommand(program: Command): Promise<void> {
  // The SDK's notice about its next Node version is for us, not for who runs the command.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  endOnFailedWrite(process.stdout);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version end with 0, every usage error with 2; commander has said why.
      process.exitCode = error.exitCode === 0 ? ExitCode.holds : ExitCode.usage;
    } else {
      process.stderr.write(`${sentenceOf(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  }
}

/** Writes an answer: JSON as the API gave it, or what `render` makes of it. */
export function print(
  context: CliContext,
  options: GlobalOptions,
  text: string,
  render: (answer: never) => string,
): void {
  context.stdout.write(
    options.json ? `${text.trimEnd()}\n` : `${render(JSON.parse(text) as never)}\n`,
  );
}
