import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { MAX_WIRE_BYTES } from '../../lambdas/shared/http/body.ts';
import { environments } from '../../lib/config/environments.ts';
import { createApi, resourcesOf, type TemplateResource, templateOf } from '../support/synth.ts';

const STATUS: Readonly<Record<string, string>> = {
  MISSING_AUTHENTICATION_TOKEN: '404',
  RESOURCE_NOT_FOUND: '404',
  REQUEST_TOO_LARGE: '413',
  UNSUPPORTED_MEDIA_TYPE: '415',
  BAD_REQUEST_BODY: '400',
  BAD_REQUEST_PARAMETERS: '400',
  ACCESS_DENIED: '403',
  WAF_FILTERED: '403',
  EXPIRED_TOKEN: '403',
  INVALID_SIGNATURE: '403',
  INVALID_API_KEY: '403',
  UNAUTHORIZED: '401',
  THROTTLED: '503',
  QUOTA_EXCEEDED: '503',
  AUTHORIZER_FAILURE: '503',
  AUTHORIZER_CONFIGURATION_ERROR: '503',
  INTEGRATION_FAILURE: '503',
  INTEGRATION_TIMEOUT: '503',
  API_CONFIGURATION_ERROR: '503',
  DEFAULT_5XX: '503',
  DEFAULT_4XX: '400',
};

/** Every type that the CDK knows: a new one fails here until somebody decides what it means to a client. */
const types = Object.getOwnPropertyNames(ResponseType)
  .map((name) => (ResponseType as unknown as Record<string, unknown>)[name])
  .filter((value) => value instanceof ResponseType)
  .map(({ responseType }) => responseType);

const responsesOf = (template: Template) =>
  new Map(
    resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
      Properties.ResponseType as string,
      Properties,
    ]),
  );

describe('answers of the gateway itself', () => {
  const template = templateOf('prod', 'pipeline');
  const responses = responsesOf(template);

  it('exist for every type there is, and for no other', () => {
    expect(types.length).toBeGreaterThan(20);
    expect(Object.keys(STATUS).sort()).toEqual(types.toSorted());
    expect([...responses.keys()].sort()).toEqual(types.toSorted());
  });

  it.each(types)('%s has its status and is a problem document', (type) => {
    const { ResponseParameters, ResponseTemplates, StatusCode } = responses.get(type);
    expect(StatusCode).toBe(STATUS[type]);
    expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
    expect(JSON.parse(ResponseTemplates['application/json'])).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      status: Number(StatusCode),
      detail: expect.any(String),
      instance: 'urn:uuid:$context.requestId',
    });
    expect(ResponseParameters).toEqual({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.x-request-id': 'context.requestId',
      ...(StatusCode === '503' && { 'gatewayresponse.header.Retry-After': "'2'" }),
      ...(StatusCode === '401' && { 'gatewayresponse.header.WWW-Authenticate': "'Bearer'" }),
    });
  });

  it('quote nothing of a request: the id is the only variable in them', () => {
    const variables = JSON.stringify([...responses.values()]).match(
      /\$?(context|input|method|stageVariables)\b[.\w]*/g,
    );
    expect(new Set(variables)).toEqual(new Set(['$context.requestId', 'context.requestId']));
  });

  it('name the limit where a body is too large', () => {
    const { ResponseTemplates } = responses.get('REQUEST_TOO_LARGE');
    expect(ResponseTemplates['application/json']).toContain(`${MAX_WIRE_BYTES} bytes`);
  });

  it('speak of a signature at an unknown path only where the gateway asks for one', () => {
    const detailOf = (all: ReturnType<typeof responsesOf>): string =>
      JSON.parse(all.get('MISSING_AUTHENTICATION_TOKEN').ResponseTemplates['application/json'])
        .detail;
    const signed = createApi({ ...environments.dev, endpoint: { kind: 'public', auth: 'iam' } });
    expect(detailOf(responses)).not.toContain('signed');
    expect(detailOf(responsesOf(Template.fromStack(Stack.of(signed))))).toContain('SigV4');
  });

  it.each(['MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND'])(
    'say at an unknown path what is taken: %s',
    (type) => {
      const { detail } = JSON.parse(responses.get(type).ResponseTemplates['application/json']);
      expect(detail).toBe(
        'No such path. Taken here are OpenLineage events and OTLP traces; no OTLP metrics or logs.',
      );
    },
  );

  it('are deployed with the stage', () => {
    const [, deployment] = resourcesOf(template, 'AWS::ApiGateway::Deployment')[0] as [
      string,
      TemplateResource,
    ];
    const waits = deployment.DependsOn?.filter((id) =>
      resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').some(([known]) => known === id),
    );
    expect(waits?.length).toBe(types.length);
  });
});
