import { Stack } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

export interface RateLimitAclProps {
  /** Requests that one source address may send in five minutes. */
  readonly requestsPerFiveMinutes: number;
}

const WINDOW_SECONDS = 300;
const ANSWER = 'TooManyRequests';

/** WAF sets the content type itself and knows no request id: no problem+json, no `instance`. */
const PROBLEM = {
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'Too many requests from this address; send the same request again later.',
};

/**
 * A regional web ACL with one rule: an address that sends too much is told to come back. A 403, which WAF answers
 * otherwise, would be final for every client. The rule's own answer goes before the gateway response `WAF_FILTERED`,
 * which stays the answer to what other rules block.
 * @see https://docs.aws.amazon.com/waf/latest/developerguide/customizing-the-response-for-blocked-requests.html
 */
export class RateLimitAcl extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { requestsPerFiveMinutes }: RateLimitAclProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      customResponseBodies: {
        [ANSWER]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(PROBLEM) },
      },
      defaultAction: { allow: {} },
      rules: [
        {
          name: 'RateOfOneAddress',
          priority: 0,
          action: {
            block: {
              customResponse: {
                customResponseBodyKey: ANSWER,
                responseCode: PROBLEM.status,
                responseHeaders: [{ name: 'Retry-After', value: '2' }],
              },
            },
          },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: WINDOW_SECONDS,
              limit: requestsPerFiveMinutes,
            },
          },
          visibilityConfig: visibility('RateOfOneAddress'),
        },
      ],
      scope: 'REGIONAL',
      visibilityConfig: visibility(Stack.of(this).stackName), // one of each deployment
    });
    this.arn = acl.attrArn;
  }
}

/** Sampled requests would show the Authorization header, and so the key, to whoever may look at the web ACL. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
