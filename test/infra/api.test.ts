import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import {
  createStage,
  propertiesOf,
  resourceOf,
  resourcesOf,
  type TemplateResource,
  templateOf,
} from '../support/synth.ts';

const API = 'AWS::ApiGateway::RestApi';

/** `METHOD /path` -> logical id of the function behind it. */
function routesOf(template: Template): Record<string, string> {
  const parts = new Map(resourcesOf(template, 'AWS::ApiGateway::Resource'));
  const pathOf = (id: string | undefined): string => {
    const part = id === undefined ? undefined : parts.get(id)?.Properties;
    return part ? `${pathOf(part.ParentId.Ref)}/${part.PathPart}` : '';
  };
  const methods = resourcesOf(template, 'AWS::ApiGateway::Method');
  return Object.fromEntries(
    methods.map(([, { Properties }]) => {
      const path = pathOf(Properties.ResourceId.Ref) || '/';
      const uri: { 'Fn::GetAtt'?: string[] }[] = Properties.Integration.Uri['Fn::Join'][1];
      const target = uri.find((part) => part['Fn::GetAtt'])?.['Fn::GetAtt']?.[0] ?? '';
      return [`${Properties.HttpMethod} ${path}`, target.replace(/Function[0-9A-F]{8}$/, '')];
    }),
  );
}

const methodsOf = (config: EnvironmentConfig): TemplateResource[] =>
  resourcesOf(Template.fromStack(createStage(config).pipeline), 'AWS::ApiGateway::Method').map(
    ([, method]) => method,
  );

describe('API', () => {
  const template = templateOf('prod', 'pipeline');
  const stage = propertiesOf(template, 'AWS::ApiGateway::Stage');

  it('has exactly these routes', () => {
    expect(routesOf(template)).toEqual({
      'POST /': 'FrontDoorIngest',
      'POST /api/v1/lineage': 'FrontDoorIngest',
      'POST /api/v1/lineage/batch': 'FrontDoorIngest',
      'POST /v1/traces': 'FrontDoorIngestTraces',
      'GET /api/v1/producers': 'FrontDoorProducers',
      'POST /api/v1/producers': 'FrontDoorProducers',
      'GET /api/v1/producers/{producerId}': 'FrontDoorProducers',
      'PATCH /api/v1/producers/{producerId}': 'FrontDoorProducers',
      'GET /api/v1/{proxy+}': 'FrontDoorQuery',
      'GET /health': 'FrontDoorQuery',
    });
  });

  it('passes every body through as bytes', () => {
    const api = propertiesOf(template, API);
    expect(api.BinaryMediaTypes).toEqual(['*/*']);
    expect(api).not.toHaveProperty('MinimumCompressionSize');
  });

  it('throttles the whole stage and never logs a body', () => {
    expect(stage.StageName).toBe('prod');
    expect(stage.MethodSettings).toEqual([
      {
        DataTraceEnabled: false,
        HttpMethod: '*',
        LoggingLevel: 'OFF',
        MetricsEnabled: true,
        ResourcePath: '/*',
        ThrottlingBurstLimit: 2000,
        ThrottlingRateLimit: 1000,
      },
    ]);
    expect(stage.TracingEnabled).not.toBe(true);
  });

  it('writes the route into the access log, never the path or the query string', () => {
    const { DestinationArn, Format } = stage.AccessLogSetting;
    expect(JSON.stringify(DestinationArn)).toContain('FrontDoorGatewayAccessLogs');
    const variables = Object.values<string>(JSON.parse(Format));
    expect(variables).toContain('$context.resourcePath');
    for (const variable of variables) {
      expect(variable).not.toMatch(/context\.path|querystring|requestOverride|authorizer/i);
    }
  });

  it('leaves the account role of API Gateway alone', () => {
    for (const name of ['local', 'dev', 'trial', 'prod'] as const) {
      expect(resourcesOf(templateOf(name, 'pipeline'), 'AWS::ApiGateway::Account')).toEqual([]);
    }
  });

  it('writes no access log where the account has no role for it', () => {
    const local = propertiesOf(templateOf('local', 'pipeline'), 'AWS::ApiGateway::Stage');
    expect(local).not.toHaveProperty('AccessLogSetting');
  });
});

describe('answers of the gateway itself', () => {
  const responses = new Map(
    resourcesOf(templateOf('prod', 'pipeline'), 'AWS::ApiGateway::GatewayResponse').map(
      ([, { Properties }]) => [Properties.ResponseType as string, Properties],
    ),
  );

  it.each([
    ['MISSING_AUTHENTICATION_TOKEN', '404'],
    ['RESOURCE_NOT_FOUND', '404'],
    ['REQUEST_TOO_LARGE', '413'],
    ['ACCESS_DENIED', '403'],
    ['WAF_FILTERED', '403'],
    ['EXPIRED_TOKEN', '403'],
    ['INVALID_SIGNATURE', '403'],
    ['UNAUTHORIZED', '401'],
    ['THROTTLED', '503'],
    ['QUOTA_EXCEEDED', '503'],
    ['INTEGRATION_FAILURE', '503'],
    ['INTEGRATION_TIMEOUT', '503'],
    ['API_CONFIGURATION_ERROR', '503'],
    ['DEFAULT_5XX', '503'],
    ['DEFAULT_4XX', undefined],
  ])('%s is a %s', (type, status) => {
    const response = responses.get(type);
    expect(response?.StatusCode).toBe(status);
    const body = JSON.parse(response?.ResponseTemplates['application/json']);
    expect(body).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      ...(status && { status: Number(status) }),
      detail: expect.any(String),
      instance: 'urn:uuid:$context.requestId',
    });
    expect(response?.ResponseParameters).toEqual({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.x-request-id': 'context.requestId',
      ...(status === '503' && { 'gatewayresponse.header.Retry-After': "'2'" }),
    });
  });

  it('are these and no others', () => {
    expect(responses.size).toBe(15);
  });

  it('are deployed with the stage', () => {
    const [, deployment] = resourcesOf(
      templateOf('prod', 'pipeline'),
      'AWS::ApiGateway::Deployment',
    )[0] as [string, TemplateResource];
    const waits = deployment.DependsOn?.filter((id) => id.includes('GatewayApiDefault5xx'));
    expect(waits?.length).toBe(1);
  });
});

describe('who may call', () => {
  const policyOf = (config: EnvironmentConfig) => {
    const template = Template.fromStack(createStage(config).pipeline);
    return resourceOf(template, API, 'FrontDoor/Gateway/Api').Properties;
  };
  const { dev, prod } = environments;
  /** What the functions behind the gateway are told of its checks: it decides whether they believe it. */
  const authModesOf = (config: EnvironmentConfig) =>
    resourcesOf(Template.fromStack(createStage(config).pipeline), 'AWS::Lambda::Function').flatMap(
      ([, { Properties }]) => Properties.Environment.Variables.AUTH_MODE ?? [],
    );

  it('denies every address outside the configured ranges', () => {
    expect(policyOf(prod).Policy.Statement).toEqual([
      {
        Action: 'execute-api:Invoke',
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Resource: 'execute-api:/*',
      },
      {
        Action: 'execute-api:Invoke',
        Condition: { NotIpAddress: { 'aws:SourceIp': ['192.0.2.0/24'] } },
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Resource: 'execute-api:/*',
      },
    ]);
  });

  it('denies everything that does not come through the configured VPC endpoints', () => {
    const vpcEndpointIds = ['vpce-0a1b2c3d'];
    const api = policyOf({ ...dev, endpoint: { kind: 'private', auth: 'bearer', vpcEndpointIds } });
    expect(api.EndpointConfiguration).toEqual({
      Types: ['PRIVATE'],
      VpcEndpointIds: vpcEndpointIds,
    });
    expect(api.Policy.Statement[1]).toMatchObject({
      Condition: { StringNotEquals: { 'aws:SourceVpce': vpcEndpointIds } },
      Effect: 'Deny',
    });
  });

  it('asks every method for SigV4 where the config does, and lets no stranger in by policy', () => {
    const config: EnvironmentConfig = {
      ...dev,
      endpoint: { kind: 'public', auth: 'iam', allowedCidrs: ['192.0.2.0/24'] },
    };
    for (const { Properties } of methodsOf(config)) {
      expect(Properties.AuthorizationType).toBe('AWS_IAM');
    }
    expect(authModesOf(config)).toEqual(['iam', 'iam', 'iam', 'iam']);
    expect(authModesOf(dev)).toEqual(['bearer', 'bearer', 'bearer', 'bearer']);
    const [allow] = policyOf(config).Policy.Statement;
    expect(JSON.stringify(allow.Principal)).toContain(':root');
  });

  it('puts the configured web ACL in front of the stage', () => {
    const webAclArn = 'arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/a/b';
    const stage = createStage({ ...dev, endpoint: { kind: 'public', auth: 'bearer', webAclArn } });
    const associations = resourcesOf(
      Template.fromStack(stage.pipeline),
      'AWS::WAFv2::WebACLAssociation',
    );
    expect(associations.map(([, { Properties }]) => Properties.WebACLArn)).toEqual([webAclArn]);
  });
});
