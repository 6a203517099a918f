import { conditionsHold } from './iam/conditions.ts';
import type { Statement } from './iam/policy.ts';

/** What the template says about one method of the API: how it asks who calls, and the resource policy, if any. */
export interface Door {
  readonly authorizationType: string;
  readonly statements: readonly Statement[] | undefined;
}

/** A request as the gateway sees it before any function runs. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** `aws:SourceIp` or `aws:SourceVpce`; a key that is absent was not in the request. */
  readonly keys: Readonly<Record<string, string>>;
  /** Absent = not signed. */
  readonly signedBy?: { readonly mayInvoke: boolean };
}

/**
 * Whether the gateway lets a call of the API's own account through to the function.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-authorization-flow.html
 */
export function isAdmitted({ authorizationType, statements }: Door, call: Call): boolean {
  const byIdentity = authorizationType === 'AWS_IAM';
  if (byIdentity && !call.signedBy) return false;
  if (!statements) return byIdentity ? call.signedBy?.mayInvoke === true : true;
  const applying = statements.filter((statement) => applies(statement, call));
  if (applying.some(({ Effect }) => Effect === 'Deny')) return false;
  // the account as principal hands the question on to the caller's own policies, and is no caller by itself
  const openToAll = applying.some(({ Principal }) => JSON.stringify(Principal).includes('"*"'));
  return openToAll || (byIdentity && call.signedBy?.mayInvoke === true);
}

function applies(statement: Statement, { keys, method, path }: Call): boolean {
  const arn = `execute-api:/stage/${method}${path}`;
  const matchesArn = [statement.Resource].flat().some((pattern) => {
    return new RegExp(`^${String(pattern).replaceAll('*', '.*')}$`).test(arn);
  });
  return matchesArn && conditionsHold(statement.Condition, keys);
}
