import { BlockList, isIPv6 } from 'node:net';

/** A statement of a resource policy in a template. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A request as IAM sees it: a key that is absent was not in the request. */
export interface PolicyRequest {
  readonly action: string;
  readonly on: 'bucket' | 'object';
  readonly keys?: Readonly<Record<string, string>>;
}

type Operator = (actual: string | undefined, expected: string) => boolean;

/** IAM's rules for a key that is absent: negated operators match, the others do not. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  Bool: (actual, expected) => actual === expected,
  NumericLessThan: (actual, expected) => actual !== undefined && Number(actual) < Number(expected),
  StringNotEquals: (actual, expected) => actual !== expected,
  NotIpAddress: (actual, expected) => actual === undefined || !lies(actual, expected),
  ArnNotEquals: (actual, expected) => actual !== expected,
  Null: (actual, expected) => (actual === undefined) === (expected === 'true'),
};

/** Sids of the statements that deny a request; throws on an operator that it does not know. */
export function deniedBy(statements: readonly Statement[], request: PolicyRequest): string[] {
  return statements
    .filter(({ Effect }) => Effect === 'Deny')
    .filter((statement) => matches(statement, request))
    .map(({ Sid }) => Sid ?? 'DenyPlainHttp');
}

function matches(statement: Statement, { action, keys = {}, on }: PolicyRequest): boolean {
  const actions = [statement.Action].flat();
  if (!actions.some((known) => known === action || known === 's3:*')) return false;
  const resources = [statement.Resource].flat().map((resource) => JSON.stringify(resource));
  if (!resources.some((resource) => resource.includes('/*') === (on === 'object'))) return false;
  return conditionsHold(statement, keys);
}

/** Whether all conditions of a statement match the keys of a request; throws on an operator that it does not know. */
export function conditionsHold(
  { Condition = {} }: Pick<Statement, 'Condition'>,
  keys: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(Condition).every(([operator, expectations]) => {
    const holds = OPERATORS[operator];
    if (!holds) throw new Error(`no rule for the condition operator ${operator}`);
    return Object.entries(expectations).every(([key, expected]) => {
      return [expected].flat().every((value) => holds(keys[key], String(value)));
    });
  });
}

function lies(address: string, range: string): boolean {
  const [network = '', prefix] = range.split('/');
  const family = (value: string) => (isIPv6(value) ? 'ipv6' : 'ipv4');
  const ranges = new BlockList();
  ranges.addSubnet(network, Number(prefix), family(network));
  return ranges.check(address, family(address));
}
