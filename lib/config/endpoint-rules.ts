import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig, PublicEndpoint } from './environment-config.ts';

/** What WAF takes as the limit of a rate-based rule. */
const MIN_RATE = 10;
const MAX_RATE = 2_000_000_000;

const DOMAIN_NAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Refuses a front door that nobody can reach, and an unguarded public one in production. */
export function checkEndpoint(check: ConfigCheck, config: EnvironmentConfig): void {
  const { endpoint } = config;
  if (endpoint.kind === 'private') {
    checkPrivate(check, endpoint);
    return;
  }
  for (const cidr of endpoint.allowedCidrs ?? []) {
    check.matches('endpoint.allowedCidrs', cidr, /^[0-9a-f.:]+\/\d{1,3}$/i, 'use a CIDR range');
    if (cidr.endsWith('/0')) {
      check.refuse('endpoint.allowedCidrs', cidr, 'a range of /0 is everybody: leave it out');
    }
  }
  checkWaf(check, endpoint);
  checkCustomDomain(check, endpoint, config.region);
  const isGuarded =
    (endpoint.allowedCidrs?.length ?? 0) > 0 ||
    endpoint.waf !== undefined ||
    endpoint.webAclArn !== undefined ||
    endpoint.auth === 'iam';
  if (config.kind === 'production' && !isGuarded) {
    check.refuse(
      'endpoint',
      endpoint,
      "a public production API needs allowedCidrs, waf, webAclArn or auth 'iam'; or make it private",
    );
  }
}

type PrivateEndpoint = Exclude<EnvironmentConfig['endpoint'], PublicEndpoint>;

function checkPrivate(check: ConfigCheck, endpoint: PrivateEndpoint): void {
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
  // the type says so already: this is for a config that comes out of a spread or a file
  const { allowedCidrs, customDomain, waf, webAclArn }: Partial<PublicEndpoint> = {
    ...endpoint,
    kind: 'public',
  };
  for (const [field, value] of Object.entries({ allowedCidrs, waf, webAclArn })) {
    if (value !== undefined) {
      check.refuse(`endpoint.${field}`, value, 'a private API is guarded by its VPC endpoints');
    }
  }
  if (customDomain !== undefined) {
    check.refuse(
      'endpoint.customDomain',
      customDomain,
      'a private API has none here, since the VPCs that call would have to associate with it: leave it out',
    );
  }
}

function checkWaf(check: ConfigCheck, { waf, webAclArn }: PublicEndpoint): void {
  check.matches(
    'endpoint.webAclArn',
    webAclArn,
    /^arn:aws[a-z-]*:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/.+$/,
    'use the ARN of a regional WAFv2 web ACL',
  );
  if (!waf) return;
  if (webAclArn !== undefined) {
    check.refuse(
      'endpoint.waf',
      waf,
      'a stage takes one web ACL: leave out waf or endpoint.webAclArn',
    );
  }
  check.whole(
    'endpoint.waf.requestsPerFiveMinutes',
    waf.requestsPerFiveMinutes,
    MIN_RATE,
    MAX_RATE,
  );
}

function checkCustomDomain(
  check: ConfigCheck,
  { customDomain }: PublicEndpoint,
  region: string | undefined,
): void {
  if (!customDomain) return;
  const { certificateArn, domainName, hostedZone } = customDomain;
  check.matches(
    'endpoint.customDomain.domainName',
    domainName,
    DOMAIN_NAME,
    'use a lower-case name such as lineage.example.org',
  );
  const place = region ?? '[a-z0-9-]+';
  check.matches(
    'endpoint.customDomain.certificateArn',
    certificateArn,
    new RegExp(`^arn:aws[a-z-]*:acm:${place}:\\d{12}:certificate/.+$`),
    `use the ARN of an ACM certificate in ${region ?? 'the region of the API'}`,
  );
  if (!hostedZone) return;
  const { hostedZoneId, zoneName } = hostedZone;
  check.matches(
    'endpoint.customDomain.hostedZone.hostedZoneId',
    hostedZoneId,
    /^Z[A-Z0-9]+$/,
    'use the id of a Route 53 zone such as Z0123456789ABC',
  );
  if (domainName !== zoneName && !domainName.endsWith(`.${zoneName}`)) {
    check.refuse(
      'endpoint.customDomain.hostedZone.zoneName',
      zoneName,
      `${domainName} does not lie in this zone: use the zone that holds it`,
    );
  }
}
