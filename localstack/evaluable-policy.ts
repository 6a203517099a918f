/** Keys of a request that MiniStack 1.5.33 does not know: for it they are absent from every one. */
const UNKNOWN_KEY = /^s3:(object-lock-|if-none-match$|x-amz-)/i;
const PRINCIPAL = 'aws:PrincipalArn';

type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

interface Statement {
  readonly Action?: string | readonly string[];
  readonly Condition?: Conditions;
}

interface Policy {
  readonly Statement: readonly Statement[];
}

/**
 * A resource policy that MiniStack evaluates as AWS would evaluate what is left of it: without the statements that ask
 * for keys it does not know (an absent key makes their Deny apply always, or never), and with the session ARNs of roles
 * beside their own, since its `aws:PrincipalArn` is that of the session.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principalarn
 */
export function evaluableResourcePolicy(policy: Policy): Policy {
  return { ...policy, Statement: policy.Statement.filter(isKnown).map(namingSessions) };
}

/**
 * What MiniStack would refuse though an identity policy allows it: actions under keys that it does not know, and
 * `kinesis:GetRecords`, for which it looks for a stream in the request and finds none.
 */
export function wronglyRefused(policy: Policy): readonly Statement[] {
  return policy.Statement.flatMap((statement) => {
    const { Condition: _, ...unconditional } = statement;
    if (!isKnown(statement)) return [unconditional];
    const reads = [statement.Action].flat().includes('kinesis:GetRecords');
    return reads ? [{ Effect: 'Allow', Action: 'kinesis:GetRecords', Resource: '*' }] : [];
  });
}

const isKnown = ({ Condition }: Statement) =>
  !keysOf(Condition).some((key) => UNKNOWN_KEY.test(key));

function namingSessions(statement: Statement): Statement {
  if (!keysOf(statement.Condition).includes(PRINCIPAL)) return statement;
  const Condition = Object.fromEntries(
    Object.entries(statement.Condition ?? {}).map(([operator, keys]) => [
      operator,
      { ...keys, ...(keys[PRINCIPAL] && { [PRINCIPAL]: withSessions([keys[PRINCIPAL]].flat()) }) },
    ]),
  );
  return { ...statement, Condition };
}

const withSessions = (arns: readonly string[]) =>
  arns.flatMap((arn) => [
    arn,
    arn.replace(/^(arn:[^:]+):iam:(.*):role\/(?:.*\/)?([^/]+)$/, '$1:sts:$2:assumed-role/$3/*'),
  ]);

const keysOf = (conditions: Conditions = {}) =>
  Object.values(conditions).flatMap((keys) => Object.keys(keys));
