import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Refuses a front door that nobody can reach, and an unguarded public one in production. */
export function checkEndpoint(check: ConfigCheck, config: EnvironmentConfig): void {
  const { endpoint } = config;
  if (endpoint.kind === 'private') {
    if (endpoint.vpcEndpointIds.length === 0) {
      check.refuse('endpoint.vpcEndpointIds', [], 'name at least one: nobody could call the API');
    }
    for (const id of endpoint.vpcEndpointIds) {
      check.matches(
        'endpoint.vpcEndpointIds',
        id,
        /^vpce-[0-9a-f]+$/,
        'use an id such as vpce-0a1b2c3d',
      );
    }
    return;
  }
  for (const cidr of endpoint.allowedCidrs ?? []) {
    check.matches('endpoint.allowedCidrs', cidr, /^[0-9a-f.:]+\/\d{1,3}$/i, 'use a CIDR range');
    if (cidr.endsWith('/0')) {
      check.refuse('endpoint.allowedCidrs', cidr, 'a range of /0 is everybody: leave it out');
    }
  }
  check.matches(
    'endpoint.webAclArn',
    endpoint.webAclArn,
    /^arn:aws[a-z-]*:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/.+$/,
    'use the ARN of a regional WAFv2 web ACL',
  );
  const isGuarded =
    (endpoint.allowedCidrs?.length ?? 0) > 0 ||
    endpoint.webAclArn !== undefined ||
    endpoint.auth === 'iam';
  if (config.kind === 'production' && !isGuarded) {
    check.refuse(
      'endpoint',
      endpoint,
      "a public production API needs allowedCidrs, webAclArn or auth 'iam'; or make it private",
    );
  }
}
