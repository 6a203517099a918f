import type { Command } from 'commander';
import { ownSentence } from '../../lambdas/domain/errors.ts';
import { retentionClasses } from '../../lambdas/domain/evidence/retention.ts';
import {
  changeRegistration,
  DEFAULT_OVERLAP_HOURS,
  endKey,
  registerProducer,
  rotateKey,
  setDisabled,
} from '../../lambdas/domain/producers/change-producer.ts';
import {
  checkRegistration,
  patchRegistration,
} from '../../lambdas/domain/producers/check-registration.ts';
import type {
  ChangeDependencies,
  ChangedProducer,
} from '../../lambdas/domain/producers/commit-change.ts';
import { type Producer, viewProducer } from '../../lambdas/domain/producers/producer.ts';
import { ProducerRefusedError } from '../../lambdas/domain/producers/producer-errors.ts';
import { administrationOf, OPERATOR } from './administration.ts';
import { type CliContext, CliError, ExitCode, globalOptions } from './cli.ts';
import { openDeployment } from './deployment.ts';
import {
  type FieldOptions,
  fieldsOf,
  sayViolation,
  wholeNumber,
  withClear,
  withFields,
} from './producer-options.ts';
import { renderProducers } from './render-producers.ts';

/** Rows of the producers table that one query answers. */
const PAGE = 1_000;

export function addProducersCommand(program: Command, context: CliContext): void {
  const producers = program
    .command('producers')
    .description('registered producers and readers; uses your AWS credentials, not a bearer key');
  const id = ['<id>', 'lower-case letters, digits and hyphens'] as const;
  const dependenciesOf = (command: Command) => {
    const deployment = openDeployment(globalOptions(command), context);
    return administrationOf(deployment).producers;
  };
  const change = async (
    command: Command,
    work: (dependencies: ChangeDependencies) => Promise<ChangedProducer>,
    said: string,
  ) => {
    const changed = await explained(() => work(dependenciesOf(command)));
    context.stdout.write(sayChange(changed, said, globalOptions(command).json === true));
  };

  withFields(producers.command('add').description('registers a producer and shows its key, once'))
    .argument(...id)
    .action((producerId: string, options: FieldOptions, command: Command) =>
      change(
        command,
        (dependencies) => {
          const classes = retentionClasses(dependencies.retention);
          const registration = checkRegistration({ producerId, ...fieldsOf(options) }, classes);
          return registerProducer(registration, OPERATOR, dependencies);
        },
        'is registered',
      ),
    );

  withClear(
    withFields(
      producers.command('change').description('changes fields of a registration; others stay'),
    ),
  )
    .argument(...id)
    .action((producerId: string, options: FieldOptions & { clear?: string[] }, command: Command) =>
      change(
        command,
        (dependencies) => {
          const cleared = (options.clear ?? []).map((field) => [field, null]);
          const patch = { ...Object.fromEntries(cleared), ...fieldsOf(options) };
          const patched = (registration: Producer['registration']) =>
            patchRegistration(registration, patch, retentionClasses(dependencies.retention));
          return changeRegistration(producerId, patched, OPERATOR, dependencies);
        },
        'stands as asked',
      ),
    );

  producers
    .command('list')
    .description('all producers with the ids of their keys; never a key or a hash')
    .action(async (_options: object, command: Command) => {
      const all = await explained(() => allProducers(dependenciesOf(command)));
      context.stdout.write(
        globalOptions(command).json
          ? `${JSON.stringify({ items: all.map(viewProducer), cursor: null })}\n`
          : `${renderProducers(all, Date.now())}\n`,
      );
    });

  producers
    .command('rotate')
    .description('issues a further key and shows it, once; the one before stays valid for a while')
    .argument(...id)
    .option(
      '--overlap-hours <hours>',
      'how long the key before stays valid, a year at the most; 0 ends every other key at once',
      wholeNumber,
      DEFAULT_OVERLAP_HOURS,
    )
    .action((producerId: string, { overlapHours }: { overlapHours: number }, command: Command) =>
      change(
        command,
        (dependencies) => rotateKey(producerId, overlapHours, OPERATOR, dependencies),
        'has a new key',
      ),
    );

  producers
    .command('disable')
    .description('stops all keys and the role of a producer, or one key for good')
    .argument(...id)
    .option('--key-id <id>', 'ends this key only')
    .action((producerId: string, { keyId }: { keyId?: string }, command: Command) =>
      change(
        command,
        (dependencies) =>
          keyId === undefined
            ? setDisabled(producerId, true, OPERATOR, dependencies)
            : endKey(producerId, keyId, OPERATOR, dependencies),
        keyId === undefined ? 'is disabled' : 'has lost that key',
      ),
    );

  producers
    .command('enable')
    .description('lets the valid keys and the role of a disabled producer work again')
    .argument(...id)
    .action((producerId: string, _options: object, command: Command) =>
      change(
        command,
        (dependencies) => setDisabled(producerId, false, OPERATOR, dependencies),
        'is enabled',
      ),
    );
}

async function allProducers({ directory }: ChangeDependencies): Promise<Producer[]> {
  const all: Producer[] = [];
  let after: string | undefined;
  do {
    const { producers, next } = await directory.list(PAGE, after);
    all.push(...producers);
    after = next;
  } while (after !== undefined);
  return all.sort((a, b) => (a.registration.producerId < b.registration.producerId ? -1 : 1));
}

function sayChange({ producer, key }: ChangedProducer, said: string, json: boolean): string {
  const view = viewProducer(producer);
  if (json) return `${JSON.stringify({ ...view, ...(key !== undefined && { key }) })}\n`;
  const sentence = `${view.producerId} (group ${view.group}) ${said}.`;
  return key === undefined ? `${sentence}\n` : `${sentence} Its key is shown this once:\n${key}\n`;
}

/** What the caller can put right ends as usage, in one sentence; that there is no such producer is an answer. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProducerRefusedError)) throw error;
    throw new CliError(
      error.refused === 'unknown' ? ExitCode.finding : ExitCode.usage,
      error.refused === 'invalid'
        ? `The command breaks a rule: ${error.violations.map(sayViolation).join('; ')}.`
        : `Nothing was changed: ${ownSentence(error)}.`,
    );
  }
}
