import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  AccountRootPrincipal,
  AnyPrincipal,
  Effect,
  type IPrincipal,
  PolicyDocument,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import type { EndpointAuth, EnvironmentConfig } from '../config/environment-config.ts';

type Conditions = Record<string, Record<string, unknown>>;

/** The one route without a key or a signature. */
const HEALTH = 'execute-api:/*/*/health';

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

function allowUnless(auth: EndpointAuth, conditions: Conditions): PolicyDocument {
  // with SigV4, "anyone" would let every identity of the account in without a policy of its own
  const callers = auth === 'iam' ? new AccountRootPrincipal() : new AnyPrincipal();
  return new PolicyDocument({
    statements: [
      invoke(Effect.ALLOW, callers),
      ...(auth === 'iam' ? [invoke(Effect.ALLOW, new AnyPrincipal(), { resource: HEALTH })] : []),
      invoke(Effect.DENY, new AnyPrincipal(), { conditions }),
    ],
  });
}

/** What the policy of each VPC endpoint has to allow for callers to reach this API, and no other, through it. */
export function vpcEndpointPolicy(api: RestApi): string {
  const policy = new PolicyDocument({
    statements: [
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['execute-api:Invoke'],
        resources: [api.arnForExecuteApi('*', '/*', api.deploymentStage.stageName)],
      }),
    ],
  });
  return Stack.of(api).toJsonString(policy);
}

function invoke(
  effect: Effect,
  principal: IPrincipal,
  { resource = 'execute-api:/*', conditions }: { resource?: string; conditions?: Conditions } = {},
): PolicyStatement {
  return new PolicyStatement({
    effect,
    principals: [principal],
    actions: ['execute-api:Invoke'],
    resources: [resource],
    ...(conditions && { conditions }),
  });
}
