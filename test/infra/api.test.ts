import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { RESOURCE_METHODS } from '../../lambdas/shared/http/methods.ts';
import { pathsOf } from '../support/api-paths.ts';
import { propertiesOf, resourcesOf, templateOf } from '../support/synth.ts';

/** Path -> method and logical id of the function behind it. */
function routesOf(template: Template): Record<string, string> {
  return Object.fromEntries(
    [...pathsOf(template)].map(([path, { HttpMethod, Integration }]) => {
      const uri: { 'Fn::GetAtt'?: string[] }[] = Integration.Uri['Fn::Join'][1];
      const target = uri.find((part) => part['Fn::GetAtt'])?.['Fn::GetAtt']?.[0] ?? '';
      return [path, `${HttpMethod} ${target.replace(/Function[0-9A-F]{8}$/, '')}`];
    }),
  );
}

describe('API', () => {
  const template = templateOf('prod', 'pipeline');
  const stage = propertiesOf(template, 'AWS::ApiGateway::Stage');

  it('has exactly these paths, each with every method', () => {
    expect(routesOf(template)).toEqual({
      '/': 'ANY FrontDoorIngest',
      '/api/v1/lineage': 'ANY FrontDoorIngest',
      '/api/v1/lineage/batch': 'ANY FrontDoorIngest',
      '/v1/traces': 'ANY FrontDoorIngestTraces',
      '/api/v1/producers': 'ANY FrontDoorProducers',
      '/api/v1/producers/{producerId}': 'ANY FrontDoorProducers',
      '/api/v1/hold': 'ANY FrontDoorHolds',
      '/api/v1/holds': 'ANY FrontDoorHolds',
      '/api/v1/{proxy+}': 'ANY FrontDoorQuery',
      '/health': 'ANY FrontDoorQuery',
    });
  });

  it('has functions that know the methods of every path, but for two', () => {
    const judgedByTheirHandlers = ['/', '/api/v1/{proxy+}'];
    const known = [...Object.keys(RESOURCE_METHODS), ...judgedByTheirHandlers];
    expect(Object.keys(routesOf(template)).sort()).toEqual(known.sort());
  });

  it('passes every body through as bytes', () => {
    const api = propertiesOf(template, 'AWS::ApiGateway::RestApi');
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
