import { type IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Environment } from '../../localstack/environment.ts';
import { inlinePolicies } from '../../localstack/iam-enforcement.ts';
import { matchesArn } from '../support/iam/patterns.ts';
import { listed, type PolicyDocument, type Statement } from '../support/iam/policy.ts';
import type { AskedFor } from './asked-for.ts';

/** Name of a function in environment.json. */
export type FunctionName = keyof Environment['functions'];

/** One action on one resource pattern, as a policy allows it. */
export interface Right {
  readonly action: string;
  readonly pattern: string;
}

/** The execution role of a function, with the policy that it was deployed with and the one that stands. */
export class FunctionRole {
  readonly fn: FunctionName;
  readonly roleName: string;
  readonly policyName: string;
  readonly deployed: PolicyDocument;
  standing: PolicyDocument;
  readonly #iam: IAMClient;

  private constructor(
    iam: IAMClient,
    fn: FunctionName,
    roleName: string,
    policyName: string,
    deployed: PolicyDocument,
  ) {
    this.#iam = iam;
    this.fn = fn;
    this.roleName = roleName;
    this.policyName = policyName;
    this.deployed = deployed;
    this.standing = deployed;
  }

  static async of(
    fn: FunctionName,
    { functions }: Environment,
    { iam, lambda }: { readonly iam: IAMClient; readonly lambda: LambdaClient },
  ): Promise<FunctionRole> {
    const { Role = '' } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functions[fn] }),
    );
    const roleName = Role.replace(/^.*\//, '');
    const policies = await inlinePolicies(iam, roleName);
    const [policy] = policies;
    if (policy === undefined || policies.length > 1) {
      throw new Error(`${roleName} has ${policies.length} policies instead of one`);
    }
    return new FunctionRole(iam, fn, roleName, policy.name, policy.document);
  }

  /** What the deployed policy allows; a right that stands twice is there twice. */
  get rights(): readonly Right[] {
    return rightsOf(this.deployed);
  }

  /** The deployed policy without some rights, until {@link restore}. */
  async withdraw(rights: readonly Right[]): Promise<void> {
    await this.#put(rights.reduce(without, this.deployed));
  }

  async restore(): Promise<void> {
    await this.#put(this.deployed);
  }

  async #put(policy: PolicyDocument): Promise<void> {
    this.standing = policy;
    await this.#iam.send(
      new PutRolePolicyCommand({
        RoleName: this.roleName,
        PolicyName: this.policyName,
        PolicyDocument: JSON.stringify(policy),
      }),
    );
  }
}

function rightsOf(policy: PolicyDocument): readonly Right[] {
  return listed(policy.Statement).flatMap(({ Action, Resource }) =>
    listed(Action).flatMap((action) => listed(Resource).map((pattern) => ({ action, pattern }))),
  );
}

/** Whether a right is what allows what was asked for. */
export function covers({ action, pattern }: Right, asked: AskedFor): boolean {
  return asked.action === action && matchesArn(pattern, asked.resource);
}

/** A policy that allows everything that it did but one right. */
function without(policy: PolicyDocument, { action, pattern }: Right): PolicyDocument {
  const Statement = listed(policy.Statement).flatMap((statement) => {
    const actions = listed(statement.Action);
    const resources = listed(statement.Resource);
    if (!actions.includes(action) || !resources.includes(pattern)) return [statement];
    const others = actions.filter((one) => one !== action);
    const elsewhere = resources.filter((one) => one !== pattern);
    return [
      ...(others.length > 0 ? [{ ...statement, Action: others }] : []),
      ...(elsewhere.length > 0 ? [{ ...statement, Action: action, Resource: elsewhere }] : []),
    ] satisfies readonly Statement[];
  });
  return { ...policy, Statement };
}
