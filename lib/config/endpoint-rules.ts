import { isIP } from 'node:net';
import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig, PrivateEndpoint, PublicEndpoint } from './environment-config.ts';

/** What WAF takes as the limit of a rate-based rule. */
const MIN_RATE = 10;
const MAX_RATE = 2_000_000_000;

/** By what `isIP` answers: the bits of an address, and the widest range, the largest that a registry gives to one holder. */
const FAMILIES: ReadonlyMap<number, { readonly bits: number; readonly widest: number }> = new Map([
  [4, { bits: 32, widest: 8 }],
  [6, { bits: 128, widest: 16 }],
]);

const DOMAIN_NAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Refuses a front door that nobody can reach, and an unguarded public one in production. */
export function checkEndpoint(check: ConfigCheck, config: EnvironmentConfig): void {
  const { endpoint } = config;
  if (endpoint.kind === 'private') {
    checkPrivate(check, endpoint);
    return;
  }
  for (const cidr of endpoint.allowedCidrs ?? []) checkRange(check, cidr);
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

/** A range, and none of those that add up to everybody: `0.0.0.0/1` and `128.0.0.0/1` guard nothing. */
function checkRange(check: ConfigCheck, cidr: string): void {
  const [, address = '', length = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(cidr) ?? [];
  const family = FAMILIES.get(isIP(address));
  if (!family || Number(length) > family.bits) {
    check.refuse('endpoint.allowedCidrs', cidr, 'use a CIDR range such as 192.0.2.0/24');
  }
  if (Number(length) < family.widest) {
    check.refuse(
      'endpoint.allowedCidrs',
      cidr,
      `so wide a range guards nothing: name ranges of /${family.widest} or narrower, or leave allowedCidrs out where everybody may call`,
    );
  }
}

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
