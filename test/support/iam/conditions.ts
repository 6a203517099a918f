import { BlockList, isIP } from 'node:net';
import { matchesArn, matchesWildcards } from './patterns.ts';
import { type ConditionBlock, listed } from './policy.ts';

/** Keys of a request; one that is absent was not in it. A list is a multivalued key. */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

type Match = (actual: string, expected: string) => boolean;

/** Operators that ask for equality or order, each with its negation, if there is one. */
const MATCHES: Readonly<Record<string, Match>> = {
  StringEquals: (actual, expected) => actual === expected,
  StringEqualsIgnoreCase: (actual, expected) => actual.toLowerCase() === expected.toLowerCase(),
  StringLike: (actual, expected) => matchesWildcards(expected, actual),
  NumericEquals: (actual, expected) => numberOf(actual) === numberOf(expected),
  NumericLessThan: (actual, expected) => numberOf(actual) < numberOf(expected),
  NumericLessThanEquals: (actual, expected) => numberOf(actual) <= numberOf(expected),
  NumericGreaterThan: (actual, expected) => numberOf(actual) > numberOf(expected),
  NumericGreaterThanEquals: (actual, expected) => numberOf(actual) >= numberOf(expected),
  DateEquals: (actual, expected) => timeOf(actual) === timeOf(expected),
  DateLessThan: (actual, expected) => timeOf(actual) < timeOf(expected),
  DateLessThanEquals: (actual, expected) => timeOf(actual) <= timeOf(expected),
  DateGreaterThan: (actual, expected) => timeOf(actual) > timeOf(expected),
  DateGreaterThanEquals: (actual, expected) => timeOf(actual) >= timeOf(expected),
  Bool: (actual, expected) => actual.toLowerCase() === expected.toLowerCase(),
  IpAddress: liesIn,
  // the two behave alike
  ArnEquals: (actual, expected) => matchesArn(expected, actual),
  ArnLike: (actual, expected) => matchesArn(expected, actual),
};

/** Negated operator -> what it negates. */
const NEGATED: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  NumericNotEquals: 'NumericEquals',
  DateNotEquals: 'DateEquals',
  NotIpAddress: 'IpAddress',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
};

/**
 * Whether every operator and every key of a condition block holds. Several values of a key are alternatives; a negated
 * operator asks that none of them matches. A key that is absent fails, passes a negated operator and passes `IfExists`.
 * @throws Error on an operator without a rule, a value that is none, and a multivalued key without set operator
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
export function conditionsHold(conditions: ConditionBlock = {}, context: RequestContext): boolean {
  const keys = new Map(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.entries(conditions).every(([operator, expectations]) => {
    const holds = readOperator(operator);
    return Object.entries(expectations).every(([key, expected]) =>
      holds(keys.get(key.toLowerCase()), listed(expected).map(String), key),
    );
  });
}

type Holds = (
  actual: string | readonly string[] | undefined,
  expected: readonly string[],
  key: string,
) => boolean;

function readOperator(operator: string): Holds {
  if (operator === 'Null') {
    return (actual, expected) => expected.some((value) => (actual === undefined) === isTrue(value));
  }
  const [, set, base = ''] = /^(?:(ForAllValues|ForAnyValue):)?(.*?)(?:IfExists)?$/.exec(
    operator,
  ) as RegExpExecArray;
  const ifExists = operator.endsWith('IfExists');
  const negates = NEGATED[base];
  const matches = MATCHES[negates ?? base];
  if (!matches) throw new Error(`no rule for the condition operator ${operator}`);
  const holdsOne = (value: string, expected: readonly string[]) =>
    expected.some((candidate) => matches(value, candidate)) !== (negates !== undefined);

  // a set operator looks at the values that are there: an empty set passes "all" and fails "any"
  if (set === 'ForAllValues') {
    return (actual, expected) => listed(actual).every((value) => holdsOne(value, expected));
  }
  if (set === 'ForAnyValue') {
    return (actual, expected) => listed(actual).some((value) => holdsOne(value, expected));
  }
  return (actual, expected, key) => {
    if (actual === undefined) return ifExists || negates !== undefined;
    if (typeof actual !== 'string') throw new Error(`${key} has many values: use a set operator`);
    return holdsOne(actual, expected);
  };
}

function isTrue(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Error(`Null takes true or false: ${value}`);
  return value === 'true';
}

function numberOf(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new Error(`no number: ${text}`);
  return Number(text);
}

/** RFC 3339, or seconds of the epoch. */
function timeOf(text: string): number {
  const millis = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(millis)) throw new Error(`no time: ${text}`);
  return millis;
}

function liesIn(address: string, range: string): boolean {
  const [network = '', length] = range.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  const ranges = new BlockList();
  ranges.addSubnet(network, Number(length ?? (family === 'ipv6' ? 128 : 32)), family);
  return ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
