import { canonicalJson } from '../json/canonical.ts';
import { sha256Hex } from '../store-key.ts';
import { plainName } from './names.ts';
import { parseRule, type Rule } from './policy-rule.ts';
import {
  type PolicyTreatment,
  type RedactionRules,
  readRules,
  STRICT_RULES,
} from './policy-rules.ts';

/** The rules that are built in; raised whenever they change, because stored lines name it. */
const BUILT_IN = 'strict/1';

/** Of the 64 hex digits of a hash: enough to tell the few policies of one deployment apart. */
const ID_HASH_DIGITS = 12;

/** Where a value of a facet stands among the rules of a policy; a walker carries it down. */
export interface PolicyNode {
  /** What the policy says of this value; undefined leaves it to the built-in rules. */
  readonly treatment?: PolicyTreatment;
  /** Steps of rules that lead to here. */
  readonly steps: readonly Step[];
}

/** A step on the way to the places of rules. */
interface Step {
  treatment?: PolicyTreatment;
  /** Steps of any name on the way here. */
  readonly wildcards: number;
  readonly members: Map<string, Step>;
  any?: Step;
}

const NO_STEPS: readonly Step[] = [];

export interface RedactionPolicy {
  /** `strict/1`, or `strict/1+<hash of the additions>`. */
  readonly id: string;
  readonly rules: RedactionRules;
  /** Where facets stand, each of them: also those of a parent. {@link policyNode} leads on. */
  readonly rootNode: PolicyNode;
  treatmentOfAttribute(key: string): PolicyTreatment | undefined;
  /** The dialect that the longest fitting prefix gives; undefined when there is none, or two namespaces disagree. */
  dialectFor(namespaces: readonly string[]): string | undefined;
}

/**
 * A policy of rules that were checked by {@link readRules}. Its id covers all of them, so that equal
 * rules, in whatever order, have one id, and others another.
 */
function compilePolicy(rules: RedactionRules): RedactionPolicy {
  const canonical = canonicalJson(rules);
  const isStrict = canonical === canonicalJson(STRICT_RULES);
  const parsed = (['keep', 'drop', 'scan', 'subject'] as const).flatMap((treatment) =>
    (rules[treatment] ?? []).map((text) => ({ treatment, rule: parseRule(text) })),
  );
  const facets = step();
  const attributes = attributeStep();
  for (const { treatment, rule } of parsed) {
    if (rule.place === 'facet') addFacet(facets, rule.names, treatment);
    else addAttribute(attributes, rule, treatment);
  }
  const dialects = Object.entries(rules.dialects).sort(([a], [b]) => b.length - a.length);
  return {
    id: isStrict ? BUILT_IN : `${BUILT_IN}+${sha256Hex(canonical).slice(0, ID_HASH_DIGITS)}`,
    rules,
    rootNode: { steps: isLeaf(facets) ? NO_STEPS : [facets] },
    treatmentOfAttribute: (key) => treatmentOfAttribute(attributes, key),
    dialectFor: (namespaces) => dialectFor(dialects, namespaces),
  };
}

/** The built-in rules alone. */
export const STRICT: RedactionPolicy = compilePolicy(STRICT_RULES);

/**
 * The policy that a configuration, a file or a variable of a function says.
 * @throws RedactionPolicyError naming the field, the rule and what to do
 */
export function readPolicy(value: unknown): RedactionPolicy {
  return value === 'strict' ? STRICT : compilePolicy(readRules(value));
}

/**
 * What an auditor reads of a policy. It is written once under its id, so it holds nothing that the id
 * does not cover: another form of it needs another built-in version.
 */
export function policyDocument({ id, rules }: RedactionPolicy) {
  return {
    redactionPolicy: 1,
    id,
    builtIn: BUILT_IN,
    // In the order that the id was made over: two ways to write one policy are one document.
    rules: JSON.parse(canonicalJson(rules)) as RedactionRules,
    ...(rules.acknowledgeRisk !== undefined && { acknowledgedRisk: rules.acknowledgeRisk }),
  } as const;
}

/** Places that no rule leads further from, by what was said on the way: most values stand at one of them. */
const ENDS = {
  keep: { treatment: 'keep', steps: NO_STEPS },
  drop: { treatment: 'drop', steps: NO_STEPS },
  scan: { treatment: 'scan', steps: NO_STEPS },
  subject: { treatment: 'subject', steps: NO_STEPS },
  none: { steps: NO_STEPS },
} as const satisfies Record<string, PolicyNode>;

/**
 * The place of a facet, of a member or of what is below it, by the place above. Items of arrays stand
 * where the array does. The longest rule wins, then the one with fewer `*`, then the stricter; what it
 * says goes for all below.
 */
export function policyNode(name: string, above: PolicyNode): PolicyNode {
  if (above.steps.length === 0) return above;
  const plain = plainName(name);
  const steps: Step[] = [];
  for (const { members, any } of above.steps) {
    const member = members.get(plain);
    if (member) steps.push(member);
    if (any) steps.push(any);
  }
  const treatment = strictest(steps) ?? above.treatment;
  return steps.some((next) => !isLeaf(next)) ? { treatment, steps } : ENDS[treatment ?? 'none'];
}

const STRICTNESS: Readonly<Record<PolicyTreatment, number>> = {
  keep: 0,
  scan: 1,
  subject: 2,
  drop: 3,
};

/** Of rules of one length: the most exact, and of those that are equally so the strictest. */
function strictest(steps: readonly Step[]): PolicyTreatment | undefined {
  let best: Step | undefined;
  for (const next of steps) {
    if (next.treatment === undefined) continue;
    if (
      best?.treatment === undefined ||
      next.wildcards < best.wildcards ||
      (next.wildcards === best.wildcards && STRICTNESS[next.treatment] > STRICTNESS[best.treatment])
    ) {
      best = next;
    }
  }
  return best?.treatment;
}

function step(wildcards = 0): Step {
  return { wildcards, members: new Map() };
}

function isLeaf({ members, any }: Step): boolean {
  return members.size === 0 && any === undefined;
}

function addFacet(root: Step, names: readonly string[], treatment: PolicyTreatment): void {
  let at = root;
  for (const name of names) {
    if (name === '*') {
      at.any ??= step(at.wildcards + 1);
      at = at.any;
      continue;
    }
    const next = at.members.get(plainName(name)) ?? step(at.wildcards);
    at.members.set(plainName(name), next);
    at = next;
  }
  at.treatment = treatment;
}

/** A part of attribute names between dots. */
interface AttributeStep {
  exact?: PolicyTreatment;
  below?: PolicyTreatment;
  readonly parts: Map<string, AttributeStep>;
}

function attributeStep(): AttributeStep {
  return { parts: new Map() };
}

function addAttribute(
  root: AttributeStep,
  { names, isPrefix }: Rule,
  treatment: PolicyTreatment,
): void {
  let at = root;
  for (const name of names) {
    const next = at.parts.get(plainName(name)) ?? attributeStep();
    at.parts.set(plainName(name), next);
    at = next;
  }
  at[isPrefix ? 'below' : 'exact'] = treatment;
}

/** Looks at no more of a key than rules have parts, however long a stranger makes it. */
function treatmentOfAttribute(root: AttributeStep, key: string): PolicyTreatment | undefined {
  let at = root;
  let found: PolicyTreatment | undefined;
  for (let start = 0; at.parts.size > 0; ) {
    const dot = key.indexOf('.', start);
    const end = dot === -1 ? key.length : dot;
    const next = at.parts.get(plainName(key.slice(start, end)));
    if (next === undefined) return found;
    if (dot === -1) return next.exact ?? found;
    found = next.below ?? found;
    at = next;
    start = dot + 1;
  }
  return found;
}

/** @param dialects by prefix, the longest first */
function dialectFor(
  dialects: ReadonlyArray<readonly [string, string]>,
  namespaces: readonly string[],
): string | undefined {
  const named = new Set<string>();
  for (const namespace of namespaces) {
    const found = dialects.find(([prefix]) => namespace.startsWith(prefix));
    if (found) named.add(found[1]);
  }
  return named.size === 1 ? [...named][0] : undefined;
}
