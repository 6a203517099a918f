import { describe, expect, it } from 'vitest';
import {
  INTEGRATION_FACETS,
  STANDARD_FACETS,
} from '../../../lambdas/domain/redaction/facet-table.ts';
import { readPolicy } from '../../../lambdas/domain/redaction/policy.ts';
import {
  MAX_POLICY_BYTES,
  RedactionPolicyError,
} from '../../../lambdas/domain/redaction/policy-rules.ts';

const refusalOf = (value: unknown) => {
  try {
    readPolicy(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof RedactionPolicyError)) throw error;
    const { field, advice } = error;
    return `${field}: ${advice}`;
  }
};

const FORM =
  'use facet:<name>, facet:<name>.<member> with * for any one name, attribute:<name> or attribute:<prefix>.*';
const RISK =
  'this would store what is redacted for good reason: leave it out, or add acknowledgeRisk with the reason why it may be stored';
const FIELDS =
  'base, strictUnknown, keep, drop, scan, dialects, exactFingerprints, subject, acknowledgeRisk';

describe('a policy is refused', () => {
  it.each([
    [null, `: use 'strict' or an object of ${FIELDS}`],
    ['lax', `: use 'strict' or an object of ${FIELDS}`],
    [['facet:a'], `: use 'strict' or an object of ${FIELDS}`],
    [{ kept: [] }, `kept: there is no such field: use ${FIELDS}`],
    [JSON.parse('{"__proto__":1}'), `__proto__: there is no such field: use ${FIELDS}`],
    [{ base: 'lax' }, "base: use 'strict': there is no other"],
    [{ strictUnknown: 'yes' }, 'strictUnknown: use true or false'],
    [{ exactFingerprints: 1 }, 'exactFingerprints: use true or false'],
    [{ drop: 'facet:a' }, 'drop: use a list of rules such as facet:my_facet'],
    [{ drop: [null] }, `drop: ${FORM}`],
    [{ drop: ['sql'] }, `drop: ${FORM}`],
    [{ drop: ['facet:'] }, `drop: ${FORM}`],
    [{ drop: ['facet:a..b'] }, `drop: ${FORM}`],
    [{ drop: ['facet:a.b*'] }, `drop: ${FORM}`],
    [{ drop: ['facet:__'] }, `drop: ${FORM}`],
    [{ drop: ['facet:名前'] }, `drop: ${FORM}`],
    [{ drop: ['attribute:*'] }, `drop: ${FORM}`],
    [{ drop: ['attribute:.*'] }, `drop: ${FORM}`],
    [{ drop: ['attribute:a.*.b'] }, `drop: ${FORM}`],
    [{ drop: ['facet:a', 'facet:A'] }, 'drop: this place stands in drop already: keep one'],
    [
      { scan: ['attribute:a.b_c'], drop: ['attribute:A.bC'] },
      'scan: this place stands in drop already: keep one',
    ],
    [
      { drop: ['facet:spark.logicalPlan'] },
      'drop: a dot leads to a member: write facet:spark_logicalPlan',
    ],
    [{ dialects: [] }, "dialects: use an object such as { 'postgres://warehouse': 'redshift' }"],
    [
      { dialects: { 'a b': 'mysql' } },
      'dialects: use the beginning of a namespace, without blanks',
    ],
    [
      { dialects: { a: 'klingon' } },
      'dialects.a: use a dialect that is known, such as postgres, mysql, tsql or snowflake',
    ],
    [
      { acknowledgeRisk: 'short' },
      'acknowledgeRisk: say in 10 characters or more why the risk is taken',
    ],
    [
      { keep: ['facet:sql'], acknowledgeRisk: ' '.repeat(20) },
      'acknowledgeRisk: say in 10 characters or more why the risk is taken',
    ],
    [
      { keep: ['facet:my_facet'], acknowledgeRisk: 'a reason for nothing' },
      'acknowledgeRisk: no rule stores a sensitive field: leave it out',
    ],
    [
      { drop: ['facet:sql'], acknowledgeRisk: 'a reason for nothing' },
      'acknowledgeRisk: no rule stores a sensitive field: leave it out',
    ],
  ])('that is %j', (value, expected) => {
    expect(refusalOf(value)).toBe(expected);
  });

  it('that is larger than a function takes', () => {
    const empty = JSON.stringify({ drop: ['facet:'] }).length;
    const rule = (bytes: number) => `facet:${'a'.repeat(bytes - empty)}`;
    expect(refusalOf({ drop: [rule(MAX_POLICY_BYTES)] })).toBeUndefined();
    expect(refusalOf({ drop: [rule(MAX_POLICY_BYTES + 1)] })).toContain('use fewer rules');
  });
});

describe('what would store a sensitive field needs a reason', () => {
  it.each([
    'facet:sql',
    'facet:sql.query',
    'facet:SQL.Query',
    'facet:*.query',
    'facet:*',
    'facet:errorMessage.message',
    'facet:error_message.stack_trace',
    'facet:environmentVariables.*',
    'facet:environmentVariables.environmentVariables.value',
    'facet:sourceCode',
    'facet:schema.fields.description',
    'facet:schema.fields.fields.fields.description',
    'facet:dataQualityMetrics.columnMetrics.*.min',
    'facet:dataQualityMetrics.columnMetrics.amount.min',
    'facet:ownership.owners.name',
    'facet:datasetType.whatTheStandardDoesNotKnow',
    'facet:spark_logicalPlan',
    'facet:airflow',
    'facet:airflow.dagRun.conf',
    'facet:my_facet.db_password',
    'facet:parent',
    'attribute:db.query.text',
    'attribute:db.*',
    'attribute:db.query.*',
    'attribute:DB.Statement',
    'attribute:exception.message',
    'attribute:exception.*',
    'attribute:gen_ai.*',
    'attribute:app.api_key',
  ])('%s', (rule) => {
    expect(refusalOf({ keep: [rule] })).toBe(`keep: ${RISK}`);
    expect(refusalOf({ keep: [rule], acknowledgeRisk: 'we know what we do' })).toBeUndefined();
    expect(refusalOf({ drop: [rule] })).toBeUndefined();
  });

  it('also to scan it, unless that is what is done anyway', () => {
    expect(refusalOf({ scan: ['facet:sql.query'] })).toBe(`scan: ${RISK}`);
    expect(refusalOf({ scan: ['attribute:db.query.text'] })).toBe(`scan: ${RISK}`);
    expect(refusalOf({ scan: ['facet:tags.tags.value'] })).toBeUndefined();
  });

  it('whichever standard facet it is', () => {
    for (const name of [...Object.keys(STANDARD_FACETS), ...Object.keys(INTEGRATION_FACETS)]) {
      const rule = `facet:${name.replace('.', '_')}`;
      expect([rule, refusalOf({ keep: [rule] })]).toEqual([rule, `keep: ${RISK}`]);
    }
  });

  it.each([
    'facet:my_facet',
    'facet:my_facet.*.note',
    'facet:datasetType.subType',
    'facet:columnLineage.fields.*.inputFields.field',
    'facet:jobType.integration',
    'facet:airflow.dag.timetable',
    'attribute:app.order',
    'attribute:app.*',
    'attribute:exception.type',
    'attribute:lineage.run_id',
  ])('and %s does not', (rule) => {
    expect(refusalOf({ keep: [rule] })).toBeUndefined();
  });
});
