import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../aws.ts';
import { findPython } from '../prerequisites.ts';
import { ensureVenv } from '../venv.ts';
import type { EmulatorKind, Launch } from './kind.ts';

/** Concurrent function runs; MiniStack answers the surplus with 429, so it is above what the suite sends at once. */
const FUNCTION_CONCURRENCY = '64';

/** MiniStack: small, fast, keeps its data. What its CloudFormation drops is put back by localstack/reconcile.ts. */
export const ministack: EmulatorKind = {
  name: 'ministack',
  /** The version pinned in requirements.txt. */
  version: '1.5.33',
  gaps: [
    'bucket policy conditions and TLS denials are not enforced (root keys bypass every policy)',
    'retain-until dates in the past are accepted',
    'API body limits, request validation and throttling are not enforced',
    'Kinesis never throttles, takes records up to 1 MiB and loses unread records on resharding',
    'Kinesis event source mappings are run by localstack/event-source, not by the emulator',
    'no metric comes of EMF logs or metric filters, so alarms never fire',
    'disabled KMS keys still encrypt for S3 and Kinesis',
  ],
  keepsData: true,
  // It ignores every failure setting of a mapping, and loses the records behind a failed one.
  pollsKinesis: false,
  pretendedTypes: [],
  healthPath: '/_ministack/health',
  install: () => ensureVenv(findPython()),
  launch: (dataDir, port) => ({ args: ['-m', 'ministack'], env: environment(dataDir, port) }),
};

/** The emulator's whole environment. Bare, because its own variables leak into the functions it runs. */
function environment(dataDir: string, port: number): Launch['env'] {
  const folders = {
    state: join(dataDir, 'state'),
    s3: join(dataDir, 's3'),
    tmp: join(dataDir, 'tmp'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The emulator's worker scripts are CommonJS `.js` files; the repository's own package.json above would make them ESM.
  writeFileSync(join(dataDir, 'package.json'), '{"type":"commonjs"}\n');
  return {
    // The functions run on the Node that runs this.
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: dataDir,
    LANG: 'C.UTF-8',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    TMPDIR: folders.tmp,
    GATEWAY_PORT: String(port),
    EDGE_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    MINISTACK_REGION: LOCAL_REGION,
    MINISTACK_ACCOUNT_ID: LOCAL_ACCOUNT,
    PERSIST_STATE: '1',
    STATE_DIR: folders.state,
    S3_PERSIST: '1',
    S3_DATA_DIR: folders.s3,
    LAMBDA_EXECUTOR: 'local',
    LAMBDA_ACCOUNT_CONCURRENCY: FUNCTION_CONCURRENCY,
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    // Reaches the functions: the local machine may run them on a Node that the SDK warns about.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}
