import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  MethodLoggingLevel,
  type Resource,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { InterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { acknowledge } from './acknowledge.ts';
import { accessLogOptions } from './api-access-log.ts';
import { ApiDomain } from './api-domain.ts';
import { endpointPolicy, vpcEndpointPolicy } from './endpoint-policy.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { RateLimitAcl } from './rate-limit-acl.ts';
import type { ServiceFunction } from './service-function.ts';

export interface EvidenceApiProps {
  readonly config: EnvironmentConfig;
  readonly ingest: ServiceFunction;
  readonly ingestTraces: ServiceFunction;
  readonly query: ServiceFunction;
  readonly producers: ServiceFunction;
  readonly holds: ServiceFunction;
}

/** The front door: explicit paths, binary bodies, throttling that clients retry, no payload in any log. */
export class EvidenceApi extends Construct {
  readonly api: RestApi;
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** What this kind of endpoint gives its deployer besides the URL, by name. */
  readonly outputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: EvidenceApiProps) {
    super(scope, id);
    const { config } = props;
    const { endpoint, throttling } = config;
    this.api = new RestApi(this, 'Api', {
      binaryMediaTypes: ['*/*'], // bodies are sniffed and inflated in the handler
      cloudWatchRole: config.gatewayAccountRole === 'create',
      cloudWatchRoleRemovalPolicy:
        config.gatewayAccountRole === 'create' ? RemovalPolicy.RETAIN : undefined,
      defaultMethodOptions: {
        authorizationType: endpoint.auth === 'iam' ? AuthorizationType.IAM : AuthorizationType.NONE,
      },
      deployOptions: {
        ...accessLogOptions(this, config),
        dataTraceEnabled: false, // it would write bodies to the log in clear
        loggingLevel: MethodLoggingLevel.OFF,
        metricsEnabled: true,
        stageName: config.name,
        throttlingBurstLimit: throttling.burstLimit,
        throttlingRateLimit: throttling.rateLimit,
      },
      endpointConfiguration: this.#endpointConfiguration(config),
      policy: endpointPolicy(config),
      restApiName: Stack.of(this).stackName, // metrics carry the name: one of each deployment
    });
    this.api.node.tryRemoveChild('Endpoint'); // an output of its own, ApiUrl is ours
    addGatewayResponses(this.api, endpoint.auth);
    this.#addRoutes(props);
    const webAclArn = this.#webAclArn(config);
    if (webAclArn !== undefined) {
      const { stageArn } = this.api.deploymentStage;
      new CfnWebACLAssociation(this, 'WebAcl', { resourceArn: stageArn, webAclArn });
    }
    const { region, urlSuffix } = Stack.of(this);
    this.url = `https://${this.api.restApiId}.execute-api.${region}.${urlSuffix}/${config.name}`;
    this.outputs = {};
    if (endpoint.kind === 'private') {
      this.outputs = { VpcEndpointPolicy: vpcEndpointPolicy(this.api) };
    } else if (endpoint.customDomain) {
      const { customDomain } = endpoint;
      const { target, url } = new ApiDomain(this, 'Domain', { api: this.api, customDomain });
      this.url = url;
      this.outputs = { ApiDomainTarget: target };
    }
    this.#acknowledge(config, webAclArn !== undefined);
  }

  #webAclArn({ endpoint }: EnvironmentConfig): string | undefined {
    if (endpoint.kind === 'private') return undefined;
    return endpoint.waf
      ? new RateLimitAcl(this, 'RateLimit', endpoint.waf).arn
      : endpoint.webAclArn;
  }

  #endpointConfiguration({ endpoint }: EnvironmentConfig) {
    if (endpoint.kind === 'public') return { types: [EndpointType.REGIONAL] };
    const vpcEndpoints = endpoint.vpcEndpointIds.map((vpcEndpointId) =>
      InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(this, vpcEndpointId, {
        port: 443,
        vpcEndpointId,
      }),
    );
    return { types: [EndpointType.PRIVATE], vpcEndpoints };
  }

  /** Every method of a path goes to its function, which alone can answer a wrong one with a 405 that names the right one. */
  #addRoutes({ holds, ingest, ingestTraces, producers, query }: EvidenceApiProps): void {
    const to = ({ fn }: ServiceFunction) => new LambdaIntegration(fn, { allowTestInvoke: false });
    const path = (parent: Resource | RestApi['root'], ...parts: readonly string[]) =>
      parts.reduce<RestApi['root']>((at, part) => at.addResource(part), parent);

    this.api.root.addMethod('ANY', to(ingest));
    this.api.root
      .addResource('health')
      .addMethod('ANY', to(query), { authorizationType: AuthorizationType.NONE });
    path(this.api.root, 'v1', 'traces').addMethod('ANY', to(ingestTraces));
    const api = path(this.api.root, 'api', 'v1');
    const lineage = api.addResource('lineage');
    lineage.addMethod('ANY', to(ingest));
    lineage.addResource('batch').addMethod('ANY', to(ingest));
    const registered = api.addResource('producers');
    registered.addMethod('ANY', to(producers));
    registered.addResource('{producerId}').addMethod('ANY', to(producers));
    api.addResource('hold').addMethod('ANY', to(holds));
    api.addResource('holds').addMethod('ANY', to(holds));
    api.addResource('{proxy+}').addMethod('ANY', to(query));
  }

  #acknowledge({ gatewayAccountRole }: EnvironmentConfig, hasWebAcl: boolean): void {
    acknowledge(
      this,
      'Bodies are checked in the functions, which answer with exact problem documents.',
      'AwsSolutions-APIG2',
    );
    if (!hasWebAcl) {
      acknowledge(
        this,
        'A web ACL is a config choice, and production is refused without one of the guards.',
        'AwsSolutions-APIG3',
      );
    }
    acknowledge(
      this,
      'Bearer keys are checked in the functions, so that an outage of the check is a 503 that clients retry.',
      'AwsSolutions-APIG4',
      'AwsSolutions-COG4',
    );
    acknowledge(
      this,
      'Execution logs can hold bodies in clear; functions and access log say what happened without them.',
      'AwsSolutions-APIG6',
    );
    if (gatewayAccountRole === 'none') {
      acknowledge(
        this,
        'Access logs need a role that is set for the whole account; this environment has none.',
        'AwsSolutions-APIG1',
      );
    }
    if (gatewayAccountRole === 'create') {
      acknowledge(
        this,
        'API Gateway takes one logging role for each account, and AWS maintains the policy for it.',
        'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      );
    }
  }
}
