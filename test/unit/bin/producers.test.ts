import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, sayViolation, withFields } from '../../../bin/evidence/producer-options.ts';
import { addProducersCommand } from '../../../bin/evidence/producers.ts';
import { renderProducers } from '../../../bin/evidence/render-producers.ts';
import type { RuleViolation } from '../../../lambdas/domain/errors.ts';
import { checkRegistration } from '../../../lambdas/domain/producers/check-registration.ts';
import { InvalidRegistrationError } from '../../../lambdas/domain/producers/producer-errors.ts';
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

describe('a command that breaks a rule', () => {
  let localDir: string;
  /** A table without an item and a bucket without an object. */
  const nothing = createServer((request, response) => {
    response.end(request.method === 'POST' ? '{}' : '<ListBucketResult/>');
  });
  beforeAll(async () => {
    await once(nothing.listen(0, '127.0.0.1'), 'listening');
    localDir = mkdtempSync(join(tmpdir(), 'producers-'));
    // Nothing listens on port 1: what is refused is refused before anything is asked.
    const record = {
      ...{ stage: 'trial', region: 'us-east-1', endpointUrl: 'http://127.0.0.1:1' },
      ...{ buckets: { vault: 'v' }, tables: { producers: 'p' }, hmacKeyArn: 'arn' },
    };
    writeFileSync(join(localDir, 'trial.json'), JSON.stringify(record));
    const endpointUrl = `http://127.0.0.1:${(nothing.address() as AddressInfo).port}`;
    writeFileSync(join(localDir, 'empty.json'), JSON.stringify({ ...record, endpointUrl }));
  });
  afterAll(() => {
    nothing.close();
    rmSync(localDir, { recursive: true });
  });

  let help: string;
  const run = async (...args: string[]) => {
    help = '';
    const program = new Command()
      .option('--stage <stage>')
      .exitOverride()
      .configureOutput({
        writeErr: () => undefined,
        writeOut: (text) => {
          help += text;
        },
      });
    const { stdout, stderr } = process;
    addProducersCommand(program, { env: { LOCAL_DIR: localDir }, stdout, stderr });
    const stage = args[0] === '--stage' ? args.splice(0, 2) : ['--stage', 'trial'];
    await program.parseAsync([...stage, 'producers', ...args], { from: 'user' });
  };

  it.each([
    [
      ['rotate', 'p', '--overlap-hours', '99999'],
      'The command breaks a rule: --overlap-hours: whole_number_from_0_to_8760.',
    ],
    [
      ['add', 'p', '--scopes', 'read', '--namespaces', 'a'],
      'The command breaks a rule: --namespaces and --outside go together: give --outside as well.',
    ],
    [
      ['add', 'p', '--scopes', 'read', '--outside', 'refuse'],
      'The command breaks a rule: --namespaces and --outside go together: give --namespaces as well.',
    ],
    [
      ['add', 'p', '--scopes', 'read', '--completeness', 'full'],
      'The command breaks a rule: --derivation and --completeness go together: give --derivation as well.',
    ],
    [
      ['add', 'P', '--scopes', 'read,x'],
      /^The command breaks a rule: <id>: .*; --scopes\[1\]: one_of ingest:lineage/,
    ],
    [['add', 'p'], 'The command breaks a rule: --scopes: required.'],
    [
      ['change', 'p', '--clear', 'roleArn,namespaces'],
      /namespaces is no field that can be taken away: use jobNamespaces, eventsPerSecond, .*roleArn\./,
    ],
    [['change', 'p', '--clear', 'producerId'], /producerId is no field that can be taken away/],
  ])('is refused by the name of the option: %j', async (args, message) => {
    await expect(run(...args)).rejects.toMatchObject({
      exitCode: typeof message === 'string' ? 2 : expect.any(Number),
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it.each([['rotate'], ['disable'], ['enable'], ['change']])(
    'is an answer and no mistake when there is no such producer: %s',
    async (command) => {
      const fields = command === 'change' ? ['--events-per-second', '5'] : [];
      await expect(run('--stage', 'empty', command, 'p', ...fields)).rejects.toMatchObject({
        exitCode: 1,
        message: 'Nothing was changed: no producer is registered under this id.',
      });
    },
  );

  it('could have been put right with the help', async () => {
    await expect(run('change', '--help')).rejects.toMatchObject({ exitCode: 0 });
    const words = help.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'to take away: jobNamespaces, eventsPerSecond, expectedActivity, basis, roleArn',
    );
    expect(words).toContain('together with --outside');
    expect(words).toContain('--namespaces, which it goes with');
  });

  it('has an option to name for every field that a rule speaks about', () => {
    const everything = {
      ...{ producerId: 1, scopes: 1, group: 1, retentionClass: 1, eventsPerSecond: 0, roleArn: 1 },
      ...{ jobNamespaces: { allowed: 1, outside: 1 }, expectedActivity: { everyMinutes: 0 } },
      basis: { derivation: 1, completeness: 1 },
    };
    const said = violationsOf(() => checkRegistration(everything)).map(sayViolation);
    expect(said).toHaveLength(11);
    for (const sentence of said) expect(sentence).toMatch(/^(--[a-z-]+|<id>): /);
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

function violationsOf(work: () => unknown): readonly RuleViolation[] {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidRegistrationError) return error.violations;
  }
  throw new Error('nothing was refused');
}
