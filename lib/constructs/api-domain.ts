import { DomainName, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { CustomDomain } from '../config/environment-config.ts';

export interface ApiDomainProps {
  readonly api: RestApi;
  readonly customDomain: CustomDomain;
}

/** A domain name of the deployer's own that leads to the stage of the API. */
export class ApiDomain extends Construct {
  readonly url: string;
  /** What a DNS record for the domain name has to point to. */
  readonly target: string;

  constructor(scope: Construct, id: string, { api, customDomain }: ApiDomainProps) {
    super(scope, id);
    const { certificateArn, domainName, hostedZone } = customDomain;
    const domain = new DomainName(this, 'Name', {
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      domainName,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    domain.addBasePathMapping(api, { stage: api.deploymentStage });
    if (hostedZone) {
      new ARecord(this, 'Alias', {
        recordName: `${domainName}.`,
        target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)),
        zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', hostedZone),
      });
    }
    this.url = `https://${domainName}`;
    this.target = domain.domainNameAliasDomainName;
  }
}
