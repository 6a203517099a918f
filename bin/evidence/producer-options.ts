import { type Command, InvalidArgumentError } from 'commander';
import type { RuleViolation } from '../../lambdas/domain/errors.ts';
import { REMOVABLE } from '../../lambdas/domain/producers/check-registration.ts';
import { OUTSIDE, SCOPES } from '../../lambdas/domain/producers/registration.ts';

/** The fields of a registration as they are named on a command line. */
export interface FieldOptions {
  readonly scopes?: string[];
  readonly group?: string;
  readonly retentionClass?: string;
  readonly namespaces?: string[];
  readonly outside?: string;
  readonly eventsPerSecond?: number;
  readonly expectEveryMinutes?: number;
  readonly derivation?: string;
  readonly completeness?: string;
  readonly roleArn?: string;
}

/** Gives a command an option for each field. */
export function withFields(command: Command): Command {
  return command
    .option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`, listOf)
    .option(
      '--group <group>',
      'producers of one group may speak about the same runs; default: the id',
    )
    .option('--retention-class <class>', 'how long what it sends is locked; default: standard')
    .option(
      '--namespaces <list>',
      'job namespaces it may speak about, together with --outside; * at the end of a prefix',
      listOf,
    )
    .option(
      '--outside <what>',
      `an event outside --namespaces, which it goes with: ${OUTSIDE.join(' or ')}`,
    )
    .option('--events-per-second <n>', 'rate limit of its own', wholeNumber)
    .option('--expect-every-minutes <n>', 'how often it is expected to send something', wholeNumber)
    .option(
      '--derivation <word>',
      'evidential basis, if its client declares none; together with --completeness',
    )
    .option('--completeness <word>', 'the other half of the basis; together with --derivation')
    .option('--role-arn <arn>', "IAM role it calls with, where the endpoint's auth is iam");
}

/** Gives a command the option that takes fields away; their names are those of the API. */
export function withClear(command: Command): Command {
  const names = REMOVABLE.join(', ');
  return command.option('--clear <fields>', `optional fields to take away: ${names}`, (list) => {
    const fields = listOf(list);
    for (const field of fields) {
      if (REMOVABLE.includes(field)) continue;
      throw new InvalidArgumentError(`${field} is no field that can be taken away: use ${names}.`);
    }
    return fields;
  });
}

/** The options by what the rules of the API call a field. */
const OPTIONS: Readonly<Record<string, string>> = {
  producerId: '<id>',
  scopes: '--scopes',
  group: '--group',
  retentionClass: '--retention-class',
  'jobNamespaces.allowed': '--namespaces',
  'jobNamespaces.outside': '--outside',
  eventsPerSecond: '--events-per-second',
  'expectedActivity.everyMinutes': '--expect-every-minutes',
  'basis.derivation': '--derivation',
  'basis.completeness': '--completeness',
  roleArn: '--role-arn',
  overlapHours: '--overlap-hours',
};

/** A broken rule in the words of the command line. */
export function sayViolation({ path, rule }: RuleViolation): string {
  const [, field = '', item = ''] = /^\$\.?([\w.]*)(.*)$/.exec(path) ?? [];
  const option = OPTIONS[field];
  if (option === undefined) return field === '' ? rule : `${field}${item}: ${rule}`;
  const [parent, member] = field.split('.');
  if (rule !== 'required' || member === undefined) return `${option}${item}: ${rule}`;
  const pair = Object.keys(OPTIONS).filter((name) => name.startsWith(`${parent}.`));
  return `${pair.map((name) => OPTIONS[name]).join(' and ')} go together: give ${option} as well`;
}

/** Members of a registration, only those that an option names. */
export function fieldsOf(options: FieldOptions): Record<string, unknown> {
  const { namespaces, outside, expectEveryMinutes, derivation, completeness } = options;
  return present({
    scopes: options.scopes,
    group: options.group,
    retentionClass: options.retentionClass,
    jobNamespaces: together({ allowed: namespaces, outside }),
    eventsPerSecond: options.eventsPerSecond,
    expectedActivity: together({ everyMinutes: expectEveryMinutes }),
    basis: together({ derivation, completeness }),
    roleArn: options.roleArn,
  });
}

function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** An object of what was given; half of one is judged like any other. */
function together(members: Record<string, unknown>): Record<string, unknown> | undefined {
  const given = present(members);
  return Object.keys(given).length === 0 ? undefined : given;
}

function listOf(list: string): string[] {
  return list.split(',').map((item) => item.trim());
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
