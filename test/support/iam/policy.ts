/** One value or several, as IAM writes them. */
type OneOrMore<T> = T | readonly T[];

export type PrincipalElement =
  | '*'
  | { readonly AWS?: OneOrMore<string>; readonly Service?: OneOrMore<string> };

/** Operator -> key -> values. */
export type ConditionBlock = Readonly<
  Record<string, Readonly<Record<string, OneOrMore<string | number | boolean>>>>
>;

export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: PrincipalElement;
  readonly Action?: OneOrMore<string>;
  readonly NotAction?: OneOrMore<string>;
  readonly Resource?: OneOrMore<string>;
  readonly NotResource?: OneOrMore<string>;
  readonly Condition?: ConditionBlock;
}

export interface PolicyDocument {
  readonly Version?: string;
  readonly Statement: OneOrMore<Statement>;
}

/** What {@link readPolicy} lets through; anything else would silently change what a statement means. */
const ELEMENTS: ReadonlySet<string> = new Set([
  'Sid',
  'Effect',
  'Principal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
]);

export function listed<T>(value: OneOrMore<T> | undefined): readonly T[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as readonly T[];
}

/** Statements of a policy, each with a label. @throws Error on an element, a version or a variable that has no rule here */
export function readPolicy(
  name: string,
  document: PolicyDocument,
): readonly (Statement & { readonly label: string })[] {
  const { Version = '2012-10-17' } = document;
  if (Version !== '2012-10-17') throw new Error(`${name}: no rules for version ${Version}`);
  return listed(document.Statement).map((statement, index) => {
    const label = `${name} ${statement.Sid ?? `#${index}`}`;
    for (const element of Object.keys(statement)) {
      if (!ELEMENTS.has(element)) throw new Error(`${label}: no rule for the element ${element}`);
    }
    if (!['Allow', 'Deny'].includes(statement.Effect)) {
      throw new Error(`${label}: no rule for the effect ${statement.Effect}`);
    }
    if ((statement.Action === undefined) === (statement.NotAction === undefined)) {
      throw new Error(`${label}: exactly one of Action and NotAction`);
    }
    if (JSON.stringify(statement).includes('${')) {
      throw new Error(`${label}: no rule for policy variables`);
    }
    return { ...statement, label };
  });
}
