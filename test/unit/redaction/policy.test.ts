import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainName } from '../../../lambdas/domain/redaction/names.ts';
import {
  type PolicyNode,
  policyDocument,
  policyNode,
  type RedactionPolicy,
  readPolicy,
  STRICT,
} from '../../../lambdas/domain/redaction/policy.ts';
import { seeded } from '../../support/seeded.ts';

const at = (policy: RedactionPolicy, ...names: string[]): PolicyNode =>
  names.reduce((above, name) => policyNode(name, above), policy.rootNode);
const treatment = (policy: RedactionPolicy, path: string) =>
  at(policy, ...path.split('.')).treatment;

describe('the id of a policy', () => {
  it('is that of the built-in rules when nothing differs', () => {
    for (const value of ['strict', {}, { base: 'strict', keep: [], strictUnknown: false }]) {
      expect(readPolicy(value).id).toBe('strict/1');
    }
  });

  it('is the same for the same rules in another order', () => {
    const one = readPolicy({ drop: ['facet:b', 'facet:a'], dialects: { b: 'trino', a: 'mysql' } });
    const other = readPolicy({
      dialects: { a: 'mysql', b: 'trino' },
      drop: ['facet:a', 'facet:b'],
    });
    expect(one.id).toMatch(/^strict\/1\+[0-9a-f]{12}$/);
    expect(other).toMatchObject({ id: one.id, rules: one.rules });
    expect(JSON.stringify(policyDocument(other))).toBe(JSON.stringify(policyDocument(one)));
  });

  it('is another for every rule that is another', () => {
    const policies = [
      'strict',
      { strictUnknown: true },
      { exactFingerprints: true },
      { keep: ['facet:a'] },
      { drop: ['facet:a'] },
      { scan: ['facet:a'] },
      { scan: ['facet:b'] },
      { scan: ['attribute:a'] },
      { scan: ['attribute:a.*'] },
      { dialects: { a: 'mysql' } },
      { dialects: { a: 'trino' } },
      { keep: ['facet:sql'], acknowledgeRisk: 'for the tests' },
      { keep: ['facet:sql'], acknowledgeRisk: 'for other tests' },
    ];
    expect(new Set(policies.map((value) => readPolicy(value).id)).size).toBe(policies.length);
  });
});

describe('the document of a policy', () => {
  it('is the same for ever, because it is written once', () => {
    expect(JSON.stringify(policyDocument(STRICT))).toBe(
      '{"redactionPolicy":1,"id":"strict/1","builtIn":"strict/1","rules":{"base":"strict","dialects":{},"drop":[],"exactFingerprints":false,"keep":[],"scan":[],"strictUnknown":false}}',
    );
  });

  it('holds the reason why a risk is taken', () => {
    const acknowledgeRisk = 'statements of this store hold no literals';
    expect(
      policyDocument(readPolicy({ keep: ['facet:sql.query'], acknowledgeRisk })),
    ).toMatchObject({
      acknowledgedRisk: acknowledgeRisk,
      rules: { keep: ['facet:sql.query'], acknowledgeRisk },
    });
  });
});

describe('the rules for facets', () => {
  it('go for everything below their place', () => {
    const policy = readPolicy({ keep: ['facet:my_facet.inner'] });
    expect(treatment(policy, 'my_facet')).toBeUndefined();
    expect(treatment(policy, 'my_facet.inner')).toBe('keep');
    expect(treatment(policy, 'my_facet.inner.a.b.c')).toBe('keep');
    expect(treatment(policy, 'my_facet.other')).toBeUndefined();
    expect(treatment(policy, 'other.inner')).toBeUndefined();
  });

  it('compare names as those of facets are compared', () => {
    const policy = readPolicy({ drop: ['facet:spark_logicalPlan.Plan-Text'] });
    expect(treatment(policy, 'sparkLogicalPlan.planText')).toBe('drop');
    expect(at(policy, 'spark.logicalPlan', 'plan_text').treatment).toBe('drop');
  });

  it('do not take a name without a letter for any other', () => {
    const policy = readPolicy({ drop: ['facet:a.*.b'] });
    expect(treatment(policy, 'a.名前.b')).toBe('drop');
    expect(treatment(policy, 'a.名前')).toBeUndefined();
    expect(at(policy, '', 'x', 'b').treatment).toBeUndefined();
  });

  it.each([
    ['a longer one before a shorter', { keep: ['facet:a'], drop: ['facet:a.b'] }, 'a.b.c', 'drop'],
    ['a longer one with *', { keep: ['facet:a.b'], drop: ['facet:a.*.c'] }, 'a.b.c', 'drop'],
    ['a name before *', { keep: ['facet:a.b'], drop: ['facet:a.*'] }, 'a.b', 'keep'],
    [
      'fewer * before more, wherever they stand',
      { drop: ['facet:a.b.*.*'], keep: ['facet:a.*.c.d'] },
      'a.b.c.d',
      'keep',
    ],
    [
      'of equally exact ones the stricter',
      { keep: ['facet:a.b.*'], drop: ['facet:a.*.c'] },
      'a.b.c',
      'drop',
    ],
    [
      'of equally exact ones drop, also before scan',
      { scan: ['facet:a.b.*'], drop: ['facet:a.*.c'] },
      'a.b.c',
      'drop',
    ],
    ['what was said above', { keep: ['facet:a'], drop: ['facet:a.b'] }, 'a.c', 'keep'],
  ])('take %s', (_what, rules, path, expected) => {
    expect(treatment(readPolicy(rules), path)).toBe(expected);
  });

  it('say the same as when each of them is compared with the whole path', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(fc.oneof(name, fc.constant('*')), { minLength: 1, maxLength: 4 });
    // `*` in place of a facet is a risk, which is another test.
    const rule = fc.tuple(name, path).map(([facet, members]) => [facet, ...members].join('.'));
    const rules = fc.uniqueArray(fc.tuple(rule, fc.constantFrom('keep', 'drop', 'scan')), {
      selector: ([text]) => text,
      maxLength: 12,
    });
    fc.assert(
      fc.property(rules, fc.array(name, { minLength: 1, maxLength: 7 }), (listed, names) => {
        const lists = { keep: [], drop: [], scan: [] } as Record<string, string[]>;
        for (const [text, list] of listed) lists[list]?.push(`facet:${text}`);
        expect(at(readPolicy(lists), ...names).treatment).toBe(compared(listed, names));
      }),
      seeded(2_000),
    );
  });

  it('cost nothing where none leads further', () => {
    const policy = readPolicy({ keep: ['facet:a.b'] });
    const outside = at(policy, 'z');
    expect(policyNode('y', outside)).toBe(outside);
    const inside = at(policy, 'a', 'b');
    expect(policyNode('y', inside)).toBe(inside);
  });
});

/** The longest rule that fits a beginning of the path, then the one with fewer `*`, then the stricter. */
function compared(listed: ReadonlyArray<readonly [string, string]>, names: readonly string[]) {
  const strictness = ['keep', 'scan', 'drop'];
  const [best] = listed
    .map(([text, list]) => ({ parts: text.split('.'), list }))
    .filter(
      ({ parts }) =>
        parts.length <= names.length &&
        parts.every((part, i) => part === '*' || part === plainName(names[i] as string)),
    )
    .sort(
      (a, b) =>
        b.parts.length - a.parts.length ||
        a.parts.filter((part) => part === '*').length -
          b.parts.filter((part) => part === '*').length ||
        strictness.indexOf(b.list) - strictness.indexOf(a.list),
    );
  return best?.list;
}

describe('the rules for attributes', () => {
  const policy = readPolicy({
    keep: ['attribute:app.*', 'attribute:App.Order_Id'],
    drop: ['attribute:app.user.*', 'attribute:app'],
    scan: ['attribute:app.user.team'],
  });

  it.each([
    ['app', 'drop'],
    ['app.x', 'keep'],
    ['app.order.id', 'keep'],
    ['APP.orderId', 'keep'],
    ['app.user', 'keep'],
    ['app.user.name', 'drop'],
    ['app.user.team', 'scan'],
    ['app.user.team.lead', 'drop'],
    ['app.', 'keep'],
    ['application.x', undefined],
    ['my.app.x', undefined],
    ['', undefined],
  ])('say of %s: %s', (key, expected) => {
    expect(policy.treatmentOfAttribute(key)).toBe(expected);
  });

  it('look at no more of a name than they have parts', () => {
    const parts: string[] = [];
    const key = {
      length: 1_000_000,
      indexOf: (_dot: string, from: number) => from + 4,
      slice: (from: number) => {
        parts.push(String(from));
        return 'user';
      },
    } as unknown as string;
    readPolicy({ drop: ['attribute:user.user.*'] }).treatmentOfAttribute(key);
    expect(parts).toHaveLength(2);
  });
});

describe('the dialect of a namespace', () => {
  const policy = readPolicy({
    dialects: { 'postgres://': 'postgres', 'postgres://lake': 'redshift', hive: 'spark' },
  });

  it.each([
    [['postgres://db:5432'], 'postgres'],
    [['postgres://lake:5439'], 'redshift'],
    [['mysql://db', 'hive://metastore'], 'spark'],
    [['postgres://a', 'postgres://b'], 'postgres'],
    [['mysql://db'], undefined],
    [[], undefined],
  ])('of %j is %s', (namespaces, expected) => {
    expect(policy.dialectFor(namespaces)).toBe(expected);
  });

  it('is open where namespaces disagree: every reading is made then', () => {
    expect(policy.dialectFor(['postgres://db', 'hive://metastore'])).toBeUndefined();
  });
});
