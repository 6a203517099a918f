import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from '../paths.ts';
import { findPython313 } from '../prerequisites.ts';
import { ensureVenv } from '../venv.ts';
import type { EmulatorKind, Launch } from './kind.ts';

const HOST = join(REPOSITORY, 'localstack', 'host');
/** Pinned in package.json; LocalStack 2026.3.0 looks for this version and would fetch it otherwise. */
const KINESIS_VERSION = '0.5.2';

/**
 * LocalStack's open core as a process of this machine, with the two plugins of localstack/host: functions as Node
 * processes, DynamoDB on moto. A second witness, whose S3, Lambda, event sources and Step Functions share no code with
 * MiniStack's. It keeps nothing over a stop.
 */
export const localstack: EmulatorKind = {
  name: 'localstack',
  /** The version pinned in host/requirements.txt. */
  version: '2026.3.0',
  gaps: [
    'no policy is enforced: not of roles, buckets or keys',
    'retain-until dates in the past are accepted',
    'lock headers on a bucket without lock are accepted',
    'API body limits, request validation and throttling are not enforced',
    'Kinesis never throttles and takes records up to 1 MiB',
    'a failed batch is not bisected: its good records go to the failure queue, too',
    'no metric comes of EMF logs or metric filters, and schedules do not fire',
    'nothing is kept over a stop',
  ],
  keepsData: false,
  pollsKinesis: true,
  pretendedTypes: ['AWS::CloudWatch::Dashboard'],
  healthPath: '/_localstack/health',
  install: () =>
    ensureVenv(findPython313(), {
      requirements: [join(HOST, 'build-requirements.txt'), join(HOST, 'requirements.txt')],
      project: HOST,
    }),
  launch: (dataDir, port) => {
    installKinesis(dataDir);
    return { args: ['-m', 'localstack.runtime.main'], env: environment(dataDir, port) };
  },
};

/** Where LocalStack finds what it would otherwise install by npm. */
function installKinesis(dataDir: string): void {
  const library = join(dataDir, 'var', 'lib', 'localstack', 'lib', 'kinesis-local');
  const modules = join(library, KINESIS_VERSION, 'node_modules');
  mkdirSync(modules, { recursive: true, mode: 0o700 });
  const manifest = createRequire(import.meta.url).resolve('kinesis-local/package.json');
  symlinkSync(dirname(manifest), join(modules, 'kinesis-local'));
}

/** The emulator's whole environment. Every file it writes lies in its data folder. */
function environment(dataDir: string, port: number): Launch['env'] {
  const tmp = join(dataDir, 'tmp');
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  // Functions in CommonJS are `.js` files; the repository's own package.json above would make them ESM.
  writeFileSync(join(dataDir, 'package.json'), '{"type":"commonjs"}\n');
  const listen = `127.0.0.1:${port}`;
  return {
    ...certificates(),
    // The functions run on the Node that runs this.
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: dataDir,
    LANG: 'C.UTF-8',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    TMPDIR: tmp,
    FILESYSTEM_ROOT: dataDir,
    CONFIG_DIR: join(dataDir, 'config'),
    GATEWAY_LISTEN: listen,
    LOCALSTACK_HOST: listen,
    // The default server binds all interfaces whatever GATEWAY_LISTEN says.
    GATEWAY_SERVER: 'hypercorn',
    // Else it writes to /var/lib.
    OVERRIDE_IN_DOCKER: '0',
    // Nothing is fetched, and nobody is told.
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DISABLE_EVENTS: '1',
    // Its log of requests holds their paths, with all that a caller writes into one.
    LS_LOG: 'warning',
    DNS_ADDRESS: '0',
    EAGER_SERVICE_LOADING: '0',
    KINESIS_LATENCY: '0',
    KINESIS_PERSISTENCE: '0',
    SQS_ENDPOINT_STRATEGY: 'path',
    // Refusing what it does not know needs a list from its maker's servers; without it, it refuses everything.
    CFN_IGNORE_UNSUPPORTED_RESOURCE_TYPES: '1',
    LAMBDA_RUNTIME_EXECUTOR: 'process',
    // Seconds. It looks at a quiet stream every 10, and waits up to 60 after failures; our windows are 1 s.
    LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0.25',
    LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC: '0.5',
    LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_ERROR_SEC: '2',
    PROVIDER_OVERRIDE_DYNAMODB: 'moto',
    // Its Kinesis would outlive a kill -9.
    NODE_OPTIONS: `--import=${pathToFileURL(join(HOST, 'end-with-parent.mjs')).href}`,
  };
}

/** Where this machine keeps its certificates, if it says so. */
function certificates(): Launch['env'] {
  const names = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}
