import type { Command } from 'commander';
import { SCOPES, type Scope } from '../../lambdas/domain/producers/registration.ts';
import { administrationOf } from './administration.ts';
import { type CliContext, CliError, ExitCode, globalOptions } from './cli.ts';
import { readDeployment } from './deployment.ts';

interface AddOptions {
  readonly scopes: string;
  readonly group?: string;
}

/** Ids become part of an object key and are shown everywhere: keep them plain. */
const PRODUCER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function addProducersCommand(program: Command, context: CliContext): void {
  program
    .command('producers')
    .description('registered producers and readers; uses your AWS credentials, not a bearer key')
    .command('add')
    .description('registers a producer and shows its key, once')
    .argument('<id>', 'lower-case letters, digits and hyphens')
    .requiredOption('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`)
    .option(
      '--group <group>',
      'producers of one group may speak about the same runs; default: itself alone',
    )
    .action(async (producerId: string, { scopes, group }: AddOptions, command: Command) => {
      const options = globalOptions(command);
      if (!PRODUCER_ID.test(producerId)) {
        throw new CliError(
          ExitCode.usage,
          'A producer id has lower-case letters, digits and hyphens, 63 at the most.',
        );
      }
      const registration = {
        producerId,
        group: group ?? producerId,
        scopes: readScopes(scopes),
        retentionClass: 'standard',
        disabled: false,
      };
      const deployment = readDeployment(options.stage, context.env);
      const key = await administrationOf(deployment).register(registration);
      const { producerId: id, group: named } = registration;
      context.stdout.write(
        options.json
          ? `${JSON.stringify({ ...registration, key })}\n`
          : `${id} (group ${named}) is registered. Its key is shown this once:\n${key}\n`,
      );
    });
}

function readScopes(list: string): Scope[] {
  const named = list.split(',').map((scope) => scope.trim());
  const unknown = named.filter((scope) => !SCOPES.includes(scope as Scope));
  if (unknown.length > 0) {
    throw new CliError(
      ExitCode.usage,
      `There is no scope ${unknown.join(', ')}: choose from ${SCOPES.join(', ')}.`,
    );
  }
  return named as Scope[];
}
