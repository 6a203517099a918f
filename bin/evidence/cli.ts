import { type Command, CommanderError } from 'commander';
import { errorCodes } from '../../lambdas/domain/errors.ts';

/** What an exit code means to a script (contract.md, Command line). */
export const ExitCode = { holds: 0, finding: 1, usage: 2, cannotLook: 3 } as const;

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
  return `The store did not answer as it should (${names.at(-1)}): check the URL, the region and your rights.`;
}

/** Runs a program that was made with `exitOverride()`; whatever happens, it ends with one sentence and an {@link ExitCode}. */
export async function runCommand(program: Command): Promise<void> {
  // The SDK's notice about its next Node version is for us, not for who runs the command.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
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
