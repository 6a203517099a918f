import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './aws.ts';

/** Concurrent function runs; MiniStack answers the surplus with 429, so it is above what the suite sends at once. */
const FUNCTION_CONCURRENCY = '64';

/** The emulator's whole environment. Bare, because its own variables leak into the functions it runs. */
export function emulatorEnvironment(dataDir: string, port: number): NodeJS.ProcessEnv {
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
