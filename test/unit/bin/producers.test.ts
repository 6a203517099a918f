import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fieldsOf, withFields } from '../../../bin/evidence/producer-options.ts';
import { renderProducers } from '../../../bin/evidence/render-producers.ts';
import { checkRegistration } from '../../../lambdas/domain/producers/check-registration.ts';
import { NOW, NOW_TEXT, registration } from '../../support/builders.ts';

const fields = (...args: string[]) =>
  fieldsOf(withFields(new Command().exitOverride()).parse(args, { from: 'user' }).opts());

describe('options of a registration', () => {
  it('name every field, which the rules of the API then judge', () => {
    const given = fields(
      ...['--scopes', 'ingest:lineage, read', '--group', 'team', '--retention-class', 'standard'],
      ...['--namespaces', 'a,b*', '--outside', 'refuse', '--events-per-second', '5'],
      ...[
        '--expect-every-minutes',
        '60',
        '--derivation',
        'parsed-intent',
        '--completeness',
        'full',
      ],
      ...['--role-arn', 'arn:aws:iam::111122223333:role/etl'],
    );
    expect(checkRegistration({ producerId: 'p', ...given })).toEqual({
      ...{ producerId: 'p', group: 'team', scopes: ['ingest:lineage', 'read'] },
      ...{ retentionClass: 'standard', disabled: false, eventsPerSecond: 5 },
      jobNamespaces: { allowed: ['a', 'b*'], outside: 'refuse' },
      expectedActivity: { everyMinutes: 60 },
      basis: { derivation: 'parsed-intent', completeness: 'full' },
      roleArn: 'arn:aws:iam::111122223333:role/etl',
    });
  });

  it('leave out what is not named, and hand on half of a pair to be refused', () => {
    expect(fields()).toEqual({});
    expect(fields('--outside', 'refuse')).toEqual({ jobNamespaces: { outside: 'refuse' } });
  });
});

describe('the table of producers', () => {
  it('shows keys by id and validity, the role and what is registered', () => {
    const later = new Date(NOW + 1).toISOString();
    const keys = [
      { keyId: 'k-ended', issuedAt: NOW_TEXT, validUntil: NOW_TEXT },
      { keyId: 'k-ending', issuedAt: NOW_TEXT, validUntil: later },
      { keyId: 'k-new', issuedAt: NOW_TEXT },
    ];
    const roleArn = 'arn:aws:iam::111122223333:role/etl';
    const shown = registration({ disabled: true, roleArn, eventsPerSecond: 7 });
    const text = renderProducers([{ version: 1, registration: shown, keys }], NOW);
    expect(text).toContain(`k-ended (ended) k-ending (until ${later}) k-new`);
    for (const part of ['producer-1', 'group-1', 'disabled', roleArn, '7 events/s']) {
      expect(text).toContain(part);
    }
  });

  it('says that there is none', () => {
    expect(renderProducers([], NOW)).toBe('No producer is registered.');
  });
});
