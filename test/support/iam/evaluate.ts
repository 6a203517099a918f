import { conditionsHold, type RequestContext } from './conditions.ts';
import { matchesAction, matchesArn } from './patterns.ts';
import {
  listed,
  type PolicyDocument,
  type PrincipalElement,
  readPolicy,
  type Statement,
} from './policy.ts';

/** Who asks. A role is named by its role ARN, whatever the session. */
export type Caller =
  | {
      readonly kind: 'identity';
      /** Of a role or a user; `arn:aws:iam::<account>:root` is the root user. */
      readonly arn: string;
      /** Policies attached to it; the root user needs none. */
      readonly policies?: readonly PolicyDocument[];
    }
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'anonymous' };

export interface AccessRequest {
  readonly caller: Caller;
  /** Such as `s3:PutObject`. */
  readonly action: string;
  readonly resource: string;
  readonly context?: RequestContext;
}

/** The account that owns the resource, with the policies that stand before and on it. */
export interface Guarded {
  readonly accountId: string;
  /** The resource-based policy: of a bucket, or of a key. */
  readonly policy?: PolicyDocument;
  /**
   * Service control policies over the caller's account, all at one level: one of them has to allow as well. They bind
   * neither a management account nor service-linked roles.
   * @default - none: no organisation
   */
  readonly serviceControl?: readonly PolicyDocument[];
}

export interface Decision {
  readonly allowed: boolean;
  /** The statements that decided, `<policy> <Sid or #index>`; none when nothing allows. */
  readonly by: readonly string[];
  readonly why:
    | 'denied by a statement'
    | 'no service control policy allows it'
    | 'nothing allows it'
    | 'the key policy neither allows it nor leaves it to the account'
    | 'allowed by the resource policy'
    | 'allowed by an identity policy'
    | 'allowed by both accounts'
    | 'the root user of the bucket owner keeps the bucket policy';
}

/**
 * The part of IAM that our policies use: identity, resource and service control policies, within and across accounts.
 * Not modelled, and not used by us: permissions boundaries, session policies, resource control policies, endpoint
 * policies, `NotPrincipal`, federated principals, policy variables. What has no rule throws.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-denyallow.html
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic-cross-account.html
 */
export function evaluate(request: AccessRequest, guarded: Guarded): Decision {
  const asked = { ...request, context: contextOf(request) };
  const resource = applying('resource', guarded.policy, asked).filter(
    ({ Principal }) => principalMatch(Principal, request.caller) !== 'none',
  );
  const identity = identityPolicies(request.caller, asked);
  const control = guarded.serviceControl?.flatMap((policy) => applying('control', policy, asked));

  const controlDenies = denying(control ?? []);
  if (controlDenies.length > 0) return decide(false, controlDenies, 'denied by a statement');
  if (keepsBucketPolicy(request, guarded)) {
    return decide(true, [], 'the root user of the bucket owner keeps the bucket policy');
  }
  const denies = denying([...resource, ...identity]);
  if (denies.length > 0) return decide(false, denies, 'denied by a statement');
  if (control && allowing(control).length === 0) {
    return decide(false, [], 'no service control policy allows it');
  }
  return allowance(request, guarded, allowing(resource), allowing(identity));
}

type Applying = Statement & { readonly label: string };

function allowance(
  { caller, resource }: AccessRequest,
  { accountId }: Guarded,
  byResource: readonly Applying[],
  byIdentity: readonly Applying[],
): Decision {
  const named = byResource.filter(
    ({ Principal }) => principalMatch(Principal, caller) === 'caller',
  );
  const delegated = byResource.filter(
    ({ Principal }) => principalMatch(Principal, caller) === 'account',
  );
  if (caller.kind !== 'identity' || accountOf(caller.arn) === accountId) {
    if (named.length > 0) return decide(true, named, 'allowed by the resource policy');
    // a key alone gives its account nothing by itself: kms, "Key policies in AWS KMS"
    if (isKey(resource) && delegated.length === 0) {
      return decide(false, [], 'the key policy neither allows it nor leaves it to the account');
    }
    if (byIdentity.length > 0) return decide(true, byIdentity, 'allowed by an identity policy');
    return decide(false, [], 'nothing allows it');
  }
  if (byResource.length > 0 && byIdentity.length > 0) {
    return decide(true, [...byResource, ...byIdentity], 'allowed by both accounts');
  }
  return decide(false, [], 'nothing allows it');
}

const decide = (allowed: boolean, by: readonly Applying[], why: Decision['why']): Decision => ({
  allowed,
  by: by.map(({ label }) => label),
  why,
});

const denying = (statements: readonly Applying[]) =>
  statements.filter(({ Effect }) => Effect === 'Deny');
const allowing = (statements: readonly Applying[]) =>
  statements.filter(({ Effect }) => Effect === 'Allow');

/** Everything but the principal: that is asked of resource policies only. */
function applying(
  name: string,
  policy: PolicyDocument | undefined,
  { action, resource, context }: AccessRequest,
): readonly Applying[] {
  if (!policy) return [];
  return readPolicy(name, policy).filter((statement) => {
    const { Action, Condition, NotAction, NotResource, Resource } = statement;
    const actions = listed(Action ?? NotAction);
    const isAction = actions.some((pattern) => matchesAction(pattern, action));
    if (isAction !== (Action !== undefined)) return false;
    const resources = listed(Resource ?? NotResource);
    if (resources.length === 0) throw new Error(`${statement.label}: no resource`);
    const isResource = resources.some((pattern) => matchesArn(pattern, resource));
    if (isResource !== (Resource !== undefined)) return false;
    return conditionsHold(Condition, context ?? {});
  });
}

function identityPolicies(caller: Caller, request: AccessRequest): readonly Applying[] {
  if (caller.kind !== 'identity') return [];
  const policies = isRoot(caller.arn) ? [ROOT_USER] : (caller.policies ?? []);
  return policies.flatMap((policy) => {
    if (listed(policy.Statement).some(({ Principal }) => Principal)) {
      throw new Error('an identity policy has no principal');
    }
    return applying('identity', policy, request);
  });
}

/** The root user has every right in its account that no other policy takes away. */
const ROOT_USER: PolicyDocument = {
  Statement: { Sid: 'RootUser', Effect: 'Allow', Action: '*', Resource: '*' },
};

/**
 * `caller`: named, or everybody. `account`: the account of the caller, which hands the question on to its own policies
 * in an Allow, and means everybody in it in a Deny.
 */
function principalMatch(
  principal: PrincipalElement | undefined,
  caller: Caller,
): 'caller' | 'account' | 'none' {
  if (principal === undefined) throw new Error('a resource policy names its principals');
  if (principal === '*') return 'caller';
  for (const kind of Object.keys(principal)) {
    if (kind !== 'AWS' && kind !== 'Service') throw new Error(`no rule for the principal ${kind}`);
  }
  if (caller.kind === 'service') {
    const everybody = listed(principal.AWS).includes('*');
    return everybody || listed(principal.Service).includes(caller.service) ? 'caller' : 'none';
  }
  const accounts = listed(principal.AWS);
  if (accounts.includes('*')) return 'caller';
  if (caller.kind === 'anonymous') return 'none';
  // the root user is named by the ARN that also stands for its account
  if (accounts.includes(caller.arn)) return 'caller';
  const account = accountOf(caller.arn);
  const isOfAccount = accounts.includes(account) || accounts.some((arn) => arn === rootOf(account));
  return isOfAccount ? 'account' : 'none';
}

/**
 * A bucket owner's root user can always read, replace and delete the bucket policy; only an organisation can stop it.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
 */
function keepsBucketPolicy(
  { action, caller, resource }: AccessRequest,
  { accountId }: Guarded,
): boolean {
  return (
    resource.startsWith('arn:aws:s3:::') &&
    ['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'].includes(action) &&
    caller.kind === 'identity' &&
    caller.arn === rootOf(accountId)
  );
}

/** Keys that every request of an identity carries. */
function contextOf({ caller, context }: AccessRequest): RequestContext {
  if (caller.kind !== 'identity') return { ...context };
  return {
    'aws:PrincipalArn': caller.arn,
    'aws:PrincipalAccount': accountOf(caller.arn),
    ...context,
  };
}

const accountOf = (arn: string) => arn.split(':')[4] as string;
const rootOf = (account: string) => `arn:aws:iam::${account}:root`;
const isRoot = (arn: string) => arn === rootOf(accountOf(arn));
const isKey = (arn: string) => arn.startsWith('arn:aws:kms:');
