import { GetGatewayResponseCommand, GetStageCommand } from '@aws-sdk/client-api-gateway';
import { fromBinary } from '@bufbuild/protobuf';
import { StatusSchema } from '../../../lambdas/domain/protobuf/rpc-status_pb.ts';
import { postRaw } from '../../../localstack/post-raw.ts';
import { type AccountCheck, type Step, settingStep, unasked } from '../check.ts';

/** API Gateway takes 10 MB, Lambda 6 MB with base64: one body beyond each. */
const BEYOND_GATEWAY_BYTES = 11_000_000;
const BEYOND_LAMBDA_BYTES = 7_000_000;

const oversizedBody: AccountCheck = {
  name: 'gateway-oversized-body',
  does: 'posts 11,000,000 and 7,000,000 zero bytes to the lineage path without a key',
  leaves: 'nothing',
  costs: '2 requests to API Gateway, 18 MB sent',
  run: async ({ deployment: { apiUrl } }) => [
    await oversizedStep(apiUrl, BEYOND_GATEWAY_BYTES, [413]),
    // Not documented: any refusal that a client understands will do.
    await oversizedStep(apiUrl, BEYOND_LAMBDA_BYTES, [400, 413, 503]),
  ],
};

async function oversizedStep(
  apiUrl: string,
  bytes: number,
  statuses: readonly number[],
): Promise<Step> {
  const asked = `a body of ${bytes} bytes`;
  const expected = `${statuses.join(' or ')}, a problem document`;
  try {
    const { status, headers } = await postRaw(
      `${apiUrl}/api/v1/lineage`,
      'POST',
      { 'content-type': 'application/json' },
      Buffer.alloc(bytes),
    );
    const type = headers['content-type'] ?? 'no type';
    const holds = statuses.includes(status) && type.startsWith('application/problem+json');
    return { asked, expected, observed: `${status}, ${type}`, verdict: holds ? 'holds' : 'fails' };
  } catch {
    // Who stops reading may close the connection before its answer was seen.
    return { asked, expected, observed: 'the connection was closed', verdict: 'unknown' };
  }
}

/** Answers of the gateway itself that a client has to understand. */
const GATEWAY_RESPONSES = {
  INTEGRATION_FAILURE: 503,
  INTEGRATION_TIMEOUT: 503,
  REQUEST_TOO_LARGE: 413,
  THROTTLED: 503,
} as const;

const gatewayResponses: AccountCheck = {
  name: 'gateway-throttling',
  does: 'reads the limits of the stage and what the gateway answers for itself',
  leaves: 'nothing',
  costs: '5 requests to API Gateway',
  run: async ({ clients: { apiGateway }, config, deployment }) => {
    const restApiId = restApiIdOf(deployment.apiUrl);
    const { methodSettings } = await apiGateway.send(
      new GetStageCommand({ restApiId, stageName: deployment.stage }),
    );
    const limits = methodSettings?.['*/*'];
    const steps = [
      settingStep('requests a second', config.throttling.rateLimit, limits?.throttlingRateLimit),
      settingStep('burst', config.throttling.burstLimit, limits?.throttlingBurstLimit),
    ];
    for (const [type, status] of Object.entries(GATEWAY_RESPONSES)) {
      const { responseParameters, statusCode } = await apiGateway.send(
        new GetGatewayResponseCommand({
          restApiId,
          responseType: type as keyof typeof GATEWAY_RESPONSES,
        }),
      );
      const retryAfter = responseParameters?.['gatewayresponse.header.Retry-After'];
      steps.push(
        settingStep(
          type,
          { statusCode: `${status}`, ...(status === 503 && { retryAfter: "'2'" }) },
          { statusCode, ...(retryAfter !== undefined && { retryAfter }) },
        ),
      );
    }
    return steps;
  },
};

/** Of `https://<id>.execute-api...`, and of the form that emulators understand. */
function restApiIdOf(apiUrl: string): string {
  const { hostname, pathname } = new URL(apiUrl);
  return /^\/restapis\/([^/]+)\//.exec(pathname)?.[1] ?? (hostname.split('.')[0] as string);
}

const answerBytes: AccountCheck = {
  name: 'answer-bytes',
  does: 'posts an export in protobuf without a key and without Accept: the refusal is protobuf, and no base64',
  leaves: 'nothing',
  costs: '1 request to API Gateway',
  run: async ({ config, deployment: { apiUrl } }) => {
    const asked = 'a refusal to a client that sends no Accept';
    if (config.endpoint.auth === 'iam')
      return [unasked(asked, 'the gateway refuses first', 'none')];
    const { body, status } = await postRaw(
      `${apiUrl}/v1/traces`,
      'POST',
      { 'content-type': 'application/x-protobuf' },
      Buffer.alloc(0),
    );
    const observed = `${status}, ${isStatus(body) ? 'a Status in protobuf' : 'something else'}`;
    const expected = '401, a Status in protobuf';
    return [{ asked, expected, observed, verdict: observed === expected ? 'holds' : 'fails' }];
  },
};

/** Base64 of one reads as fields that no Status has. */
function isStatus(bytes: Uint8Array): boolean {
  try {
    const { $unknown, code, message } = fromBinary(StatusSchema, bytes);
    return $unknown === undefined && code > 0 && message !== '';
  } catch {
    return false;
  }
}

/** What the front door answers before a function is asked. */
export const gatewayChecks: readonly AccountCheck[] = [
  oversizedBody,
  gatewayResponses,
  answerBytes,
];
