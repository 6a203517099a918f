import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkRegistration,
  patchRegistration,
} from '../../../lambdas/domain/producers/check-registration.ts';
import { InvalidRegistrationError } from '../../../lambdas/domain/producers/producer-errors.ts';
import { registration } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';

const SECRET = 'hunter2-canary';
const LEAST = { producerId: 'p', scopes: ['read'] };
const FULL = {
  ...{ producerId: 'p-1', group: 'Team_A.x', scopes: ['ingest:lineage', 'admin'] },
  ...{ retentionClass: 'standard', disabled: false, eventsPerSecond: 100_000 },
  jobNamespaces: { allowed: ['spark://prod', 'dbt-*', '*'], outside: 'deviation' },
  expectedActivity: { everyMinutes: 525_600 },
  basis: { derivation: 'other:by-hand', completeness: 'not-guaranteed' },
  roleArn: 'arn:aws-cn:iam::111122223333:role/a/b/Etl_1',
};

const violationsOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRegistrationError);
    return (error as InvalidRegistrationError).violations;
  }
  return [];
};

describe('a registration', () => {
  it('needs an id and scopes; the rest has defaults', () => {
    expect(checkRegistration(LEAST)).toEqual({
      ...{ producerId: 'p', group: 'p', scopes: ['read'] },
      ...{ retentionClass: 'standard', disabled: false },
    });
    expect(checkRegistration(FULL)).toEqual(FULL);
  });

  it.each([
    ['$', 'object', null],
    ['$', 'object', []],
    ['$', 'object', 'x'],
    ['$.producerId', 'required', { scopes: ['read'] }],
    ['$.scopes', 'required', { producerId: 'p' }],
    ['$', 'unknown_field', { ...LEAST, scope: ['admin'] }],
    ['$', 'unknown_field', JSON.parse('{"producerId":"p","scopes":["read"],"__proto__":{}}')],
    ['$', 'unknown_field', { ...LEAST, constructor: 1 }],
    [
      '$.jobNamespaces',
      'unknown_field',
      { ...LEAST, jobNamespaces: { ...FULL.jobNamespaces, x: 1 } },
    ],
    ['$.jobNamespaces.outside', 'required', { ...LEAST, jobNamespaces: { allowed: ['a'] } }],
    ['$.basis.completeness', 'required', { ...LEAST, basis: { derivation: 'parsed-intent' } }],
    ['$.scopes', 'no_duplicates', { ...LEAST, scopes: ['read', 'read'] }],
  ])('is refused at %s by the rule %s', (path, rule, input) => {
    expect(violationsOf(() => checkRegistration(input))).toContainEqual({ path, rule });
  });

  it.each([
    ['producerId', ['', 'A', '-a', 'a/b', '../x', 'a'.repeat(64), 'a\n', 7]],
    ['group', ['', ' ', 'a b', 'a/b', 'a'.repeat(64), null]],
    ['scopes', [[], 'read', ['read', 'all'], ['read', null], Array(9).fill('read')]],
    ['retentionClass', ['', 'forever', '../x', 7]],
    ['disabled', ['false', 0, null]],
    ['eventsPerSecond', [0, -1, 1.5, '5', 100_001, Number.NaN]],
    ['roleArn', ['', 'role', 'arn:aws:iam::1:role/x', 'arn:aws:iam::111122223333:user/x', 7]],
    ['expectedActivity', [null, 60, { everyMinutes: 0 }, { everyMinutes: 525_601 }]],
    [
      'basis',
      [
        'x',
        { derivation: 'guessed', completeness: 'x' },
        { derivation: 'parsed-intent', completeness: '' },
      ],
    ],
    [
      'jobNamespaces',
      [
        { allowed: [], outside: 'refuse' },
        { allowed: ['a'], outside: 'drop' },
        { allowed: ['a*b'], outside: 'refuse' },
        { allowed: [''], outside: 'refuse' },
        { allowed: ['x'.repeat(1_026)], outside: 'refuse' },
        { allowed: ['\ud800'], outside: 'refuse' },
        { allowed: Array.from({ length: 101 }, (_, n) => `n${n}`), outside: 'refuse' },
      ],
    ],
  ] as Array<[string, unknown[]]>)('names %s when that is wrong', (field, values) => {
    for (const value of values) {
      const found = violationsOf(() => checkRegistration({ ...FULL, [field]: value }));
      expect(found, JSON.stringify(value)).toHaveLength(1);
      expect(found[0]?.path.startsWith(`$.${field}`)).toBe(true);
    }
  });

  it('repeats nothing of what was sent', () => {
    const found = violationsOf(() =>
      checkRegistration({
        ...{
          [SECRET]: SECRET,
          producerId: SECRET.toUpperCase(),
          scopes: [SECRET],
          group: ` ${SECRET}`,
        },
        jobNamespaces: { allowed: [SECRET, { [SECRET]: 1 }], [SECRET]: SECRET },
      }),
    );
    expect(found.length).toBeGreaterThan(4);
    expect(JSON.stringify(found).toLowerCase()).not.toContain(SECRET);
  });

  it('is judged whatever is sent, and a good one is taken as it is', () => {
    const anything = fc.record(
      Object.fromEntries([...Object.keys(FULL), 'x'].map((name) => [name, fc.jsonValue()])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (input) => {
        const found = violationsOf(() => expect(checkRegistration(input)).toMatchObject(input));
        for (const { path, rule } of found) expect(`${path}${rule}`).toMatch(/^\$/);
      }),
      seeded(500),
    );
  });
});

describe('a patch of a registration', () => {
  const held = registration({ eventsPerSecond: 5, roleArn: FULL.roleArn });

  it('changes what it names and takes away what is null', () => {
    expect(patchRegistration(held, { group: 'g', roleArn: null })).toEqual({
      ...registration({ eventsPerSecond: 5 }),
      group: 'g',
    });
    expect(patchRegistration(held, {})).toEqual(held);
  });

  it('merges the members of an object and replaces a list', () => {
    const bounded = registration({ jobNamespaces: { allowed: ['a', 'b'], outside: 'deviation' } });
    const patched = (jobNamespaces: unknown) =>
      patchRegistration(bounded, { jobNamespaces }).jobNamespaces;
    expect(patched({ outside: 'refuse' })).toEqual({ allowed: ['a', 'b'], outside: 'refuse' });
    expect(patched({ allowed: ['c'] })).toEqual({ allowed: ['c'], outside: 'deviation' });
    expect(patched(null)).toBeUndefined();
    expect(
      violationsOf(() => patchRegistration(held, { jobNamespaces: { outside: 'refuse' } })),
    ).toEqual([{ path: '$.jobNamespaces.allowed', rule: 'required' }]);
    for (const [members, path] of [
      [{ outside: null }, '$.jobNamespaces.outside'],
      [{ allowed: null }, '$.jobNamespaces.allowed'],
      [{ alowed: null }, '$.jobNamespaces'],
    ] as const) {
      const patch = { jobNamespaces: members };
      expect(violationsOf(() => patchRegistration(bounded, patch))).toMatchObject([{ path }]);
    }
  });

  it.each([
    [{ producerId: 'other' }, '$.producerId'],
    [{ disabled: true }, '$'],
    [{ scopes: null }, '$.scopes'],
    [{ group: null }, '$.group'],
    [{ retentionClass: null }, '$.retentionClass'],
    [{ eventsPerSecond: 0 }, '$.eventsPerSecond'],
  ])('cannot be %j', (patch, path) => {
    expect(violationsOf(() => patchRegistration(held, patch))).toMatchObject([{ path }]);
  });
});

describe('a retention class', () => {
  const asked = { ...LEAST, retentionClass: 'audit' };

  it('is one that the deployment has', () => {
    const rule = { path: '$.retentionClass', rule: 'one_of standard' };
    expect(violationsOf(() => checkRegistration(asked))).toEqual([rule]);
    expect(checkRegistration(asked, ['standard', 'audit'])).toMatchObject(asked);
    const held = checkRegistration(LEAST);
    expect(violationsOf(() => patchRegistration(held, asked))).toContainEqual(rule);
    const patch = { retentionClass: 'audit' };
    expect(patchRegistration(held, patch, ['standard', 'audit'])).toMatchObject(patch);
  });
});
