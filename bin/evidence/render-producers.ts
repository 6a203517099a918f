import { isValidAt } from '../../lambdas/domain/producers/issued-key.ts';
import type { Producer } from '../../lambdas/domain/producers/producer.ts';
import { table } from './table.ts';

const HEAD = ['producer', 'group', 'scopes', 'class', 'state', 'keys', 'role', 'limits'];

/** One line for each producer. */
export function renderProducers(producers: readonly Producer[], nowMillis: number): string {
  if (producers.length === 0) return 'No producer is registered.';
  const rows = producers.map(({ registration, keys }) => [
    registration.producerId,
    registration.group,
    registration.scopes.join(' '),
    registration.retentionClass,
    registration.disabled ? 'disabled' : 'enabled',
    keys.map((key) => `${key.keyId}${validity(key, nowMillis)}`).join(' '),
    registration.roleArn ?? '',
    limitsOf(registration),
  ]);
  return table(HEAD, rows);
}

function validity(key: Producer['keys'][number], nowMillis: number): string {
  if (key.validUntil === undefined) return '';
  return isValidAt(key, nowMillis) ? ` (until ${key.validUntil})` : ' (ended)';
}

function limitsOf({
  jobNamespaces,
  eventsPerSecond,
  expectedActivity,
  basis,
}: Producer['registration']): string {
  return [
    jobNamespaces && `${jobNamespaces.outside} outside ${jobNamespaces.allowed.join(' ')}`,
    eventsPerSecond !== undefined && `${eventsPerSecond} events/s`,
    expectedActivity && `expected every ${expectedActivity.everyMinutes} min`,
    basis && `basis ${basis.derivation}, ${basis.completeness}`,
  ]
    .filter(Boolean)
    .join('; ');
}
