import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { type Call, type Door, isAdmitted } from '../support/api-admission.ts';
import { pathsOf } from '../support/api-paths.ts';
import { createApi, createStage, propertiesOf, resourcesOf } from '../support/synth.ts';

type Endpoint = EnvironmentConfig['endpoint'];
type Auth = Endpoint['auth'];

const webAclArn = 'arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/a/b';
const VPC_ENDPOINT = 'vpce-0a1b2c3d';
const customDomain = {
  domainName: 'lineage.example.org',
  certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/c',
  hostedZone: { hostedZoneId: 'Z0123456789ABC', zoneName: 'example.org' },
};

const auths: readonly Auth[] = ['bearer', 'iam'];
const guards = {
  'no guard': {},
  ranges: { allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'] },
  'its own web ACL': { waf: { requestsPerFiveMinutes: 3000 } },
  'a given web ACL': { webAclArn },
};
const domains = { 'the default address': {}, 'a domain': { customDomain } };

/** Every combination that the config can say. */
const endpoints: readonly [string, Endpoint][] = auths.flatMap((auth): [string, Endpoint][] => [
  [`private, ${auth}`, { kind: 'private', auth, vpcEndpointIds: [VPC_ENDPOINT, 'vpce-0f'] }],
  ...Object.entries(guards).flatMap(([guard, guarded]) =>
    Object.entries(domains).map(([domain, named]): [string, Endpoint] => [
      `public, ${auth}, ${guard}, ${domain}`,
      { kind: 'public', auth, ...guarded, ...named },
    ]),
  ),
]);

const EVENTS = { method: 'POST', path: '/api/v1/lineage' };
const HEALTH = { method: 'GET', path: '/health' };
const inside: Record<string, string> = { 'aws:SourceIp': '192.0.2.7' };
const outside: Record<string, string> = { 'aws:SourceIp': '198.51.100.7' };
const trusted = { mayInvoke: true };

it('covers both kinds, both ways to authenticate, every guard and the custom domain', () => {
  expect(endpoints.length).toBe(18);
});

describe.each(endpoints)('an endpoint that is %s', (_, endpoint) => {
  const api = createApi({ ...environments.dev, endpoint });
  const stack = Stack.of(api);
  const template = Template.fromStack(stack);
  const paths = pathsOf(template);
  const { EndpointConfiguration, Policy, ...rest } = propertiesOf(
    template,
    'AWS::ApiGateway::RestApi',
  );
  const doorOf = (path: string): Door => ({
    authorizationType: paths.get(path)?.AuthorizationType,
    statements: Policy?.Statement,
  });
  const admits = (call: Call) => isAdmitted(doorOf(call.path), call);
  const isPublic = endpoint.kind === 'public';
  const ranged = isPublic && endpoint.allowedCidrs !== undefined;
  const home = isPublic ? inside : { 'aws:SourceVpce': VPC_ENDPOINT };
  const strangers = isPublic
    ? [outside, { 'aws:SourceIp': '2001:db9::1' }]
    : [outside, inside, { 'aws:SourceVpce': 'vpce-0a1b2c3e' }];

  it('raises no finding of cdk-nag', () => {
    expect(new AwsSolutionsChecks().validateScope(stack).violations).toEqual([]);
  });

  it('is where the config says', () => {
    expect(EndpointConfiguration).toEqual(
      isPublic
        ? { Types: ['REGIONAL'] }
        : { Types: ['PRIVATE'], VpcEndpointIds: endpoint.vpcEndpointIds },
    );
    // producers that still know the default address would get a 403, which is final
    expect(rest).not.toHaveProperty('DisableExecuteApiEndpoint');
  });

  it('asks for a signature on every path but /health where the config does', () => {
    for (const [path, { AuthorizationType }] of paths) {
      const signed = endpoint.auth === 'iam' && path !== '/health';
      expect([path, AuthorizationType]).toEqual([path, signed ? 'AWS_IAM' : 'NONE']);
    }
  });

  it('lets the right ones in', () => {
    for (const signedBy of [trusted, endpoint.auth === 'iam' ? trusted : undefined]) {
      expect(admits({ ...EVENTS, keys: home, signedBy })).toBe(true);
    }
    for (const method of ['GET', 'HEAD']) {
      expect(admits({ ...HEALTH, method, keys: home })).toBe(true);
    }
    if (ranged) expect(admits({ ...HEALTH, keys: { 'aws:SourceIp': '2001:db8::1' } })).toBe(true);
  });

  it('keeps out who comes from elsewhere, signed or not', () => {
    for (const keys of strangers) {
      const open = isPublic && !ranged;
      for (const call of [EVENTS, HEALTH]) {
        expect(admits({ ...call, keys, signedBy: trusted })).toBe(open);
      }
      expect(admits({ ...EVENTS, keys })).toBe(open && endpoint.auth === 'bearer');
    }
  });

  it('lets nobody in who has not signed, or may not invoke, where it asks for a signature', () => {
    const unsigned = endpoint.auth === 'bearer';
    for (const path of paths.keys()) {
      if (path === '/health') continue;
      const call = { method: 'POST', path, keys: home };
      expect(admits(call)).toBe(unsigned);
      expect(admits({ ...call, signedBy: { mayInvoke: false } })).toBe(unsigned);
      expect(admits({ ...call, signedBy: trusted })).toBe(true);
    }
  });

  it('has the web ACL of the config on its stage, and no other', () => {
    const acls = resourcesOf(template, 'AWS::WAFv2::WebACL');
    const associations = resourcesOf(template, 'AWS::WAFv2::WebACLAssociation');
    const own = isPublic && endpoint.waf !== undefined;
    const given = isPublic && endpoint.webAclArn !== undefined;
    expect(acls.length).toBe(own ? 1 : 0);
    expect(associations.map(([, { Properties }]) => Properties.WebACLArn)).toEqual([
      ...(own ? [{ 'Fn::GetAtt': [acls[0]?.[0], 'Arn'] }] : []),
      ...(given ? [webAclArn] : []),
    ]);
    for (const [, { Properties }] of associations) {
      const [stageId] = resourcesOf(template, 'AWS::ApiGateway::Stage')[0] as [string, unknown];
      expect(JSON.stringify(Properties.ResourceArn)).toContain(`{"Ref":"${stageId}"}`);
    }
  });

  it('has the domain of the config, which leads to the stage', () => {
    const named = isPublic && endpoint.customDomain !== undefined;
    const names = resourcesOf(template, 'AWS::ApiGateway::DomainName');
    expect(names.length).toBe(named ? 1 : 0);
    expect(Object.keys(api.outputs)).toEqual(
      isPublic ? (named ? ['ApiDomainTarget'] : []) : ['VpcEndpointPolicy'],
    );
    if (!named) return expect(api.url).toMatch(/^https:\/\/.+\/dev$/);
    expect(api.url).toBe('https://lineage.example.org');
    expect(names[0]?.[1].Properties).toMatchObject({
      DomainName: 'lineage.example.org',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      RegionalCertificateArn: customDomain.certificateArn,
      SecurityPolicy: 'TLS_1_2',
    });
    const mapping = propertiesOf(template, 'AWS::ApiGateway::BasePathMapping');
    expect(mapping).not.toHaveProperty('BasePath');
    expect(mapping.Stage).toEqual({
      Ref: resourcesOf(template, 'AWS::ApiGateway::Stage')[0]?.[0],
    });
    expect(propertiesOf(template, 'AWS::Route53::RecordSet')).toMatchObject({
      HostedZoneId: 'Z0123456789ABC',
      Name: 'lineage.example.org.',
      Type: 'A',
    });
  });
});

describe('the rate rule', () => {
  const endpoint: Endpoint = {
    kind: 'public',
    auth: 'bearer',
    waf: { requestsPerFiveMinutes: 3000 },
  };
  const template = Template.fromStack(Stack.of(createApi({ ...environments.dev, endpoint })));
  const acl = propertiesOf(template, 'AWS::WAFv2::WebACL');
  const [rule] = acl.Rules;

  it('counts each address over five minutes, and nothing else is decided by the web ACL', () => {
    expect(acl).toMatchObject({ DefaultAction: { Allow: {} }, Scope: 'REGIONAL' });
    expect(acl.Rules.length).toBe(1);
    expect(rule.Statement).toEqual({
      RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 3000 },
    });
  });

  it('answers 503 with Retry-After and a problem document, since a 403 is final for clients', () => {
    const { CustomResponseBodyKey, ...response } = rule.Action.Block.CustomResponse;
    expect(response).toEqual({
      ResponseCode: 503,
      ResponseHeaders: [{ Name: 'Retry-After', Value: '2' }],
    });
    const { Content, ContentType } = acl.CustomResponseBodies[CustomResponseBodyKey];
    expect(ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(Content)).toEqual({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: expect.stringContaining('send the same request again'),
    });
  });

  it('keeps no sample of a request, which would hold its key', () => {
    for (const { VisibilityConfig } of [acl, rule]) {
      expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    }
  });
});

describe('outputs', () => {
  const outputsOf = (endpoint: Endpoint) =>
    Template.fromStack(createStage({ ...environments.dev, endpoint }).pipeline).toJSON().Outputs;

  it('name the policy that lets callers reach this API, and no other, through a VPC endpoint', () => {
    const { VpcEndpointPolicy } = outputsOf({
      kind: 'private',
      auth: 'bearer',
      vpcEndpointIds: [VPC_ENDPOINT],
    });
    const parts: unknown[] = VpcEndpointPolicy.Value['Fn::Join'][1];
    const filled = parts.map((part) => {
      if (typeof part === 'string') return part;
      const { Ref } = part as { Ref: string };
      return `<${Ref.replace(/[0-9A-F]{8}$/, '')}>`;
    });
    expect(JSON.parse(filled.join(''))).toEqual({
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Allow',
          Principal: { AWS: '*' },
          Resource:
            'arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<FrontDoorGatewayApi>/<FrontDoorGatewayApiDeploymentStagedev>/*/*',
        },
      ],
      Version: '2012-10-17',
    });
  });

  it('name the domain and where its record has to point, without a zone of ours', () => {
    const { hostedZone: _, ...unhosted } = customDomain;
    const config: Endpoint = { kind: 'public', auth: 'bearer', customDomain: unhosted };
    const outputs = outputsOf(config);
    expect(outputs.ApiUrl.Value).toBe('https://lineage.example.org');
    expect(JSON.stringify(outputs.ApiDomainTarget.Value)).toContain('RegionalDomainName');
    const template = Template.fromStack(
      createStage({ ...environments.dev, endpoint: config }).pipeline,
    );
    expect(resourcesOf(template, 'AWS::Route53::RecordSet')).toEqual([]);
  });
});
