import { NodeHttpHandler } from '@smithy/node-http-handler';
import { REPOSITORY } from './paths.ts';

/** Account and region of every local resource: fixed, so that nothing depends on the caller's profile. */
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_REGION = 'us-east-1';

/** A local call that takes longer is a hang: the slowest (a cold function with its timeout) stays below 60 s. */
const REQUEST_MILLIS = 60_000;
const CONNECT_MILLIS = 2_000;

/** Where an emulator listens. Never `localhost`: bucket names in front of it do not resolve. */
export function endpointOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Settings of every SDK client here: explicit endpoint and keys, so that no profile can lead to a real account. */
export function clientConfig(endpoint: string) {
  // Node 20 is supported here; the SDK's notice about next year is not for the user of a local environment.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return {
    endpoint,
    region: LOCAL_REGION,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 3,
    // HTTP/1.1: the HTTP/2 handler of the Kinesis client fails at random on large answers of the emulator.
    requestHandler: new NodeHttpHandler({
      requestTimeout: REQUEST_MILLIS,
      connectionTimeout: CONNECT_MILLIS,
      throwOnRequestTimeout: true,
    }),
  };
}

/** What child processes keep of the caller's environment; everything named AWS_* or CDK_* is ours. */
const INHERITED = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TERM',
  'USER',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
];

/** Environment for cdk and the runner: the emulator's endpoint and test keys, no profile, no metadata service. */
export function localEnvironment(
  endpoint: string,
  source: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = INHERITED.flatMap((name) => {
    const value = source[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: LOCAL_ACCOUNT,
    CDK_DEFAULT_REGION: LOCAL_REGION,
    CDK_DISABLE_VERSION_CHECK: 'true',
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
    STAGE: 'local',
    PWD: REPOSITORY,
  };
}
