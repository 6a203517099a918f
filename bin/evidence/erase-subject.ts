import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { scanText } from '../../lambdas/domain/redaction/scan-text.ts';
import {
  eraseSubject,
  type SubjectDependencies,
  viewSubject,
} from '../../lambdas/domain/subjects/erase-subject.ts';
import { administrationOf } from './administration.ts';
import { type CliContext, CliError, ExitCode, globalOptions } from './cli.ts';
import { openDeployment } from './deployment.ts';
import { printable } from './table.ts';

/** No name or address of a person is longer; more is a file by mistake. */
const MAX_IDENTITY_CHARACTERS = 1_024;
/** What a request is filed under. */
const MAX_REFERENCE_CHARACTERS = 256;

interface EraseOptions {
  readonly reference?: string;
  readonly show?: true;
}

/** @param subjectsOf what reaches the keys of a deployment; the tests bring their own */
export function addEraseSubjectCommand(
  program: Command,
  context: CliContext,
  input: NodeJS.ReadableStream,
  subjectsOf: (command: Command) => SubjectDependencies = (command) =>
    administrationOf(openDeployment(globalOptions(command), context)).subjects,
): void {
  program
    .command('erase-subject')
    .description('destroys the key of a person; uses your AWS credentials, not a bearer key')
    .option(
      '--reference <text>',
      'what the request is filed under; stored, so nothing of the person',
    )
    .option('--show', 'tells the pseudonyms of the person instead, and destroys nothing')
    .addHelpText(
      'after',
      `
Reads the identity from standard input, exactly as producers send it: an argument would stay in the history of the
shell. Stored evidence does not change; its pseudonyms lead to nobody any more, and what comes later has none. This
cannot be undone. Ends with 1 when no key was ever held for the identity.

  npx evidence erase-subject --reference DSR-2026-041 < identity.txt`,
    )
    .action(async ({ reference, show }: EraseOptions, command: Command) => {
      if (show ? reference !== undefined : reference === undefined) {
        throw new CliError(ExitCode.usage, 'Give either --reference or --show.');
      }
      const identity = await readIdentity(input);
      const { json } = globalOptions(command);
      const dependencies = subjectsOf(command);
      if (reference === undefined) {
        const view = await viewSubject(identity, dependencies);
        if (view.pseudonyms.length + view.erasures.length === 0) throw unknownSubject();
        const lines = [
          ...view.pseudonyms.map((name) => `pseudonym  ${name}`),
          ...view.erasures.map((id) => `erased     ${id}`),
        ];
        context.stdout.write(`${json ? JSON.stringify(view) : lines.join('\n')}\n`);
        return;
      }
      const erasures = await eraseSubject(identity, checked(reference, identity), dependencies);
      if (erasures.length === 0) throw unknownSubject();
      const lines = erasures.map(
        ({ id, at, keysDestroyed, reference: filed }) =>
          `${at}  erasure ${id}: keys destroyed ${keysDestroyed}, reference ${printable(filed)}`,
      );
      context.stdout.write(`${json ? JSON.stringify({ erasures }) : lines.join('\n')}\n`);
    });
}

function unknownSubject(): CliError {
  return new CliError(
    ExitCode.finding,
    'No key was ever held for this identity: nothing to erase.',
  );
}

/** @throws CliError usage (2), which repeats nothing of it */
async function readIdentity(input: NodeJS.ReadableStream): Promise<string> {
  const identity = (await text(input)).replace(/\r?\n$/, '');
  if (identity === '' || identity.length > MAX_IDENTITY_CHARACTERS || /[\r\n]/.test(identity)) {
    const rule = `one line of 1 to ${MAX_IDENTITY_CHARACTERS} characters`;
    throw new CliError(ExitCode.usage, `Standard input must be the identity: ${rule}.`);
  }
  return identity;
}

/**
 * The reference is stored as it is, for as long as the vault locks it.
 * @throws CliError usage (2), which repeats nothing of it
 */
function checked(reference: string, identity: string): string {
  if (reference.trim() === '' || reference.length > MAX_REFERENCE_CHARACTERS) {
    const rule = `1 to ${MAX_REFERENCE_CHARACTERS} characters`;
    throw new CliError(ExitCode.usage, `--reference must be ${rule}.`);
  }
  const plain = (text: string) => text.normalize('NFKC').toLowerCase();
  const person = plain(identity).trim();
  const isNamed = person !== '' && plain(reference).includes(person);
  if (isNamed || scanText(reference) !== undefined) {
    throw new CliError(
      ExitCode.usage,
      '--reference must hold nothing of the person, and nothing that redaction would remove: it is stored as it is.',
    );
  }
  return reference;
}
