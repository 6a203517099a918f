/** What identifies an IAM role to a request that was signed with it. */
export interface RoleIdentity {
  readonly account: string;
  readonly name: string;
}

/** IAM names and paths: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const ROLE =
  /^arn:aws[a-z-]{0,20}:iam::(\d{12}):role\/(?:[!-.0-~]{1,510}\/){0,50}([\w+=,.@-]{1,64})$/;
const ASSUMED =
  /^arn:aws[a-z-]{0,20}:sts::(\d{12}):assumed-role\/([\w+=,.@-]{1,64})\/[\w+=,.@-]{2,64}$/;
/** The longest ARN of a role that IAM makes is shorter. */
const MAX_ARN_CHARACTERS = 700;

/** The role of `arn:aws:iam::ACCOUNT:role/path/NAME`. Names are unique in an account whatever the path. */
export function readRoleArn(arn: string): RoleIdentity | undefined {
  return match(ROLE, arn);
}

/** The role behind `arn:aws:sts::ACCOUNT:assumed-role/NAME/SESSION`, which has lost the role's path; undefined for a user. */
export function readAssumedRole(callerArn: string): RoleIdentity | undefined {
  return match(ASSUMED, callerArn);
}

function match(pattern: RegExp, arn: string): RoleIdentity | undefined {
  const [, account, name] = (arn.length <= MAX_ARN_CHARACTERS && pattern.exec(arn)) || [];
  return account === undefined || name === undefined ? undefined : { account, name };
}
