import { LineageError } from '../errors.ts';
import { INTEGRATION_FACETS } from './facet-table.ts';
import { plainName } from './names.ts';
import { isRisky } from './policy-risk.ts';
import { parseRule, tryParseRule } from './policy-rule.ts';
import { dialectOf } from './sql/dialects.ts';

/** What a policy may say of a place. */
export type PolicyTreatment = 'keep' | 'drop' | 'scan' | 'subject';

/** What a deployment adds to the built-in rules, every field said. */
export interface RedactionRules {
  readonly base: 'strict';
  /** Facets and attributes that no rule knows lose their texts instead of being scanned. */
  readonly strictUnknown: boolean;
  /**
   * Places in the form `facet:<name>`, `facet:<name>.<member>.<member>` (`*` for any one name),
   * `attribute:<name>` or `attribute:<prefix>.*`. Names are compared in lower case without punctuation.
   * A rule goes for everything below its place, unless a longer one says otherwise.
   */
  readonly keep: readonly string[];
  readonly drop: readonly string[];
  readonly scan: readonly string[];
  /** Places that hold the identity of a person: a pseudonym stands there, which ends when the person's key is erased. */
  readonly subject?: readonly string[];
  /** SQL dialects by the beginning of a namespace; they overrule what an event says. */
  readonly dialects: Readonly<Record<string, string>>;
  /** Statements also get a keyed hash of all they say, literals included. */
  readonly exactFingerprints: boolean;
  /** Why a standard sensitive field is kept; ten characters at least. Stored with the policy. */
  readonly acknowledgeRisk?: string;
}

/** The same as a deployment writes it: what is not said is as in `strict`. */
export type RedactionAdditions = Partial<RedactionRules>;

export const STRICT_RULES: RedactionRules = {
  base: 'strict',
  strictUnknown: false,
  keep: [],
  drop: [],
  scan: [],
  dialects: {},
  exactFingerprints: false,
};

/** A policy that cannot be: which field, what was found there, what to do. What is found is an operator's, never a producer's. */
export class RedactionPolicyError extends LineageError {
  override readonly name = 'RedactionPolicyError';
  readonly field: string;
  readonly received: unknown;
  readonly advice: string;

  /** @param field empty for the policy itself */
  constructor(field: string, received: unknown, advice: string) {
    const what = JSON.stringify(received) ?? 'not set';
    super('invalid_redaction_policy', `${field || 'the policy'} is ${what}; ${advice}`);
    this.field = field;
    this.received = received;
    this.advice = advice;
  }
}

/** A function takes 4 KB of variables in all; its others come to less than half. No more than some 190 rules find room. */
export const MAX_POLICY_BYTES = 2_048;
const MIN_REASON_CHARACTERS = 10;

const NAMESPACE_PREFIX = /^[!-~]+$/;
const LISTS = ['keep', 'drop', 'scan', 'subject'] as const;

/** Attributes that the controls read, also when nothing else of a span could be kept. */
const CONTROL_NAMESPACES: ReadonlySet<string> = new Set(['lineage', 'lineageevidence']);

/**
 * Checks what a configuration, a file or a variable says and fills in the rest.
 * @throws RedactionPolicyError for the first thing that is wrong
 */
export function readRules(value: unknown): RedactionRules {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RedactionPolicyError('', value, `use 'strict' or an object of ${FIELDS.join(', ')}`);
  }
  const given = value as Readonly<Record<string, unknown>>;
  for (const [field, received] of Object.entries(given)) {
    if (FIELDS.includes(field)) continue;
    throw new RedactionPolicyError(
      field,
      received,
      `there is no such field: use ${FIELDS.join(', ')}`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(given));
  if (bytes > MAX_POLICY_BYTES) {
    const advice = `a function takes no more than ${MAX_POLICY_BYTES}: use fewer rules, or shorter ones with *`;
    throw new RedactionPolicyError('', `${bytes} bytes of JSON`, advice);
  }
  if (given.base !== undefined && given.base !== 'strict') {
    throw new RedactionPolicyError('base', given.base, "use 'strict': there is no other");
  }
  const rules: RedactionRules = {
    base: 'strict',
    strictUnknown: flag(given, 'strictUnknown'),
    keep: ruleList(given, 'keep'),
    drop: ruleList(given, 'drop'),
    scan: ruleList(given, 'scan'),
    ...(given.subject !== undefined && { subject: subjectList(given) }),
    dialects: dialects(given.dialects),
    exactFingerprints: flag(given, 'exactFingerprints'),
    ...(given.acknowledgeRisk !== undefined && { acknowledgeRisk: reason(given.acknowledgeRisk) }),
  };
  checkTogether(rules);
  return rules;
}

const FIELDS: readonly string[] = [...Object.keys(STRICT_RULES), 'subject', 'acknowledgeRisk'];

function flag(given: Readonly<Record<string, unknown>>, field: string): boolean {
  const value = given[field] ?? false;
  if (typeof value === 'boolean') return value;
  throw new RedactionPolicyError(field, value, 'use true or false');
}

/** Sorted: the order of rules says nothing, so it is no other policy. */
function ruleList(given: Readonly<Record<string, unknown>>, field: string): readonly string[] {
  const value = given[field] ?? [];
  if (!Array.isArray(value)) {
    throw new RedactionPolicyError(field, value, 'use a list of rules such as facet:my_facet');
  }
  for (const text of value) checkRule(field, text);
  return [...value].sort();
}

/** A list of none would be another policy that says the same. */
function subjectList(given: Readonly<Record<string, unknown>>): readonly string[] {
  const list = ruleList(given, 'subject');
  if (list.length === 0) {
    throw new RedactionPolicyError('subject', list, 'name a place, or leave the field out');
  }
  for (const text of list) {
    const { place, names } = parseRule(text);
    if (place !== 'attribute' || !CONTROL_NAMESPACES.has(plainName(names[0] as string))) continue;
    const advice = 'runs are joined by these attributes: put a person into one of another name';
    throw new RedactionPolicyError('subject', text, advice);
  }
  return list;
}

function checkRule(field: string, text: unknown): void {
  const rule = typeof text === 'string' ? tryParseRule(text) : undefined;
  if (rule === undefined) {
    throw new RedactionPolicyError(
      field,
      text,
      'use facet:<name>, facet:<name>.<member> with * for any one name, attribute:<name> or attribute:<prefix>.*',
    );
  }
  const [facet, member] = rule.names;
  if (rule.place === 'facet' && member !== undefined) {
    const dotted = DOTTED_FACETS.get(plainName(`${facet}.${member}`));
    if (dotted === undefined) return;
    const advice = `a dot leads to a member: write facet:${dotted.replace('.', '_')}`;
    throw new RedactionPolicyError(field, text, advice);
  }
}

/** `spark.logicalPlan` has a dot in its name. */
const DOTTED_FACETS: ReadonlyMap<string, string> = new Map(
  Object.keys(INTEGRATION_FACETS)
    .filter((name) => name.includes('.'))
    .map((name) => [plainName(name), name]),
);

function dialects(value: unknown = {}): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const advice = "use an object such as { 'postgres://warehouse': 'redshift' }";
    throw new RedactionPolicyError('dialects', value, advice);
  }
  for (const [prefix, name] of Object.entries(value)) {
    if (!NAMESPACE_PREFIX.test(prefix)) {
      const advice = 'use the beginning of a namespace, without blanks';
      throw new RedactionPolicyError('dialects', prefix, advice);
    }
    if (typeof name !== 'string' || dialectOf(name) === dialectOf(undefined)) {
      const advice = 'use a dialect that is known, such as postgres, mysql, tsql or snowflake';
      throw new RedactionPolicyError(`dialects.${prefix}`, name, advice);
    }
  }
  return { ...(value as Record<string, string>) };
}

function reason(value: unknown): string {
  if (typeof value === 'string' && value.trim().length >= MIN_REASON_CHARACTERS) return value;
  const advice = `say in ${MIN_REASON_CHARACTERS} characters or more why the risk is taken`;
  throw new RedactionPolicyError('acknowledgeRisk', value, advice);
}

/** What rules mean together. */
function checkTogether(rules: RedactionRules): void {
  const listed = LISTS.flatMap((field) => (rules[field] ?? []).map((text) => ({ field, text })));
  const seen = new Map<string, string>();
  for (const { field, text } of listed) {
    const { place, names, isPrefix } = parseRule(text);
    const path = names.map((name) => (name === '*' ? name : plainName(name))).join('.');
    const key = `${place}:${path}${isPrefix ? '.*' : ''}`;
    const other = seen.get(key);
    if (other !== undefined) {
      throw new RedactionPolicyError(
        field,
        text,
        `this place stands in ${other} already: keep one`,
      );
    }
    seen.set(key, field);
  }
  const risky = listed.find(
    ({ field, text }) => (field === 'keep' || field === 'scan') && isRisky(parseRule(text), field),
  );
  if (risky && rules.acknowledgeRisk === undefined) {
    throw new RedactionPolicyError(
      risky.field,
      risky.text,
      'this would store what is redacted for good reason: leave it out, or add acknowledgeRisk with the reason why it may be stored',
    );
  }
  if (!risky && rules.acknowledgeRisk !== undefined) {
    throw new RedactionPolicyError(
      'acknowledgeRisk',
      rules.acknowledgeRisk,
      'no rule stores a sensitive field: leave it out',
    );
  }
}
