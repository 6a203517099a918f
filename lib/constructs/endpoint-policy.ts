import {
  AccountRootPrincipal,
  AnyPrincipal,
  Effect,
  type IPrincipal,
  PolicyDocument,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import type { EnvironmentConfig } from '../config/environment-config.ts';

type Conditions = Record<string, Record<string, unknown>>;

/** The resource policy of the API, or none for a public endpoint without ranges. */
export function endpointPolicy({ endpoint }: EnvironmentConfig): PolicyDocument | undefined {
  if (endpoint.kind === 'private') {
    const endpoints = [...endpoint.vpcEndpointIds];
    return allowUnless(endpoint.auth, { StringNotEquals: { 'aws:SourceVpce': endpoints } });
  }
  if (!endpoint.allowedCidrs?.length) return undefined;
  const ranges = [...endpoint.allowedCidrs];
  return allowUnless(endpoint.auth, { NotIpAddress: { 'aws:SourceIp': ranges } });
}

function allowUnless(auth: 'bearer' | 'iam', conditions: Conditions): PolicyDocument {
  // with SigV4, "anyone" would let every identity of the account in without a policy of its own
  const callers = auth === 'iam' ? new AccountRootPrincipal() : new AnyPrincipal();
  return new PolicyDocument({
    statements: [
      invoke(Effect.ALLOW, callers),
      invoke(Effect.DENY, new AnyPrincipal(), conditions),
    ],
  });
}

function invoke(effect: Effect, principal: IPrincipal, conditions?: Conditions): PolicyStatement {
  return new PolicyStatement({
    effect,
    principals: [principal],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
    ...(conditions && { conditions }),
  });
}
