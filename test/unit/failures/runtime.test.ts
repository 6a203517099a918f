import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RETENTION } from '../../support/builders.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { GUARDS } from '../../support/guards.ts';
import { recorder } from '../../support/recorder.ts';
import { FUNCTIONS } from './functions.ts';

const CANARY = `zq${randomBytes(7).toString('hex')}`;
const RUNTIME = fileURLToPath(new URL('runtime.ts', import.meta.url));

/** Runs a module as Lambda does. */
async function run(module: string, events: readonly unknown[], env: NodeJS.ProcessEnv) {
  const path = fileURLToPath(new URL(module, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', RUNTIME, path], {
    env: { PATH: process.env.PATH, AWS_REGION: 'us-east-1', ...env },
  });
  child.stdin.end(JSON.stringify(events));
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { printed: out + error, code };
}

describe('what the runtime prints of a function that', () => {
  it.each([
    ['throws', 0, 'FunctionFailedError: TypeError'],
    ['rejects unheard', 1, '"message":"function ended"'],
    ['throws in a callback', 1, '"message":"function ended"'],
  ])('%s is the code alone', async (how, code, said) => {
    const events = [{ how, canary: CANARY }];
    const ended = await run('crashing.ts', events, {});
    expect(ended.printed).toContain(said);
    expect(ended.printed).toContain('TypeError');
    expect(ended.printed).not.toContain(CANARY);
    expect(ended.code).toBe(code);
    // The same without the entry point: it is what keeps the canary in.
    expect((await run('crashing.ts', events, { WITHOUT_ENTRY_POINT: '1' })).printed).toContain(
      CANARY,
    );
  });
});

describe('a function as it is deployed, when AWS refuses with an error that quotes its input', () => {
  let asked = 0;
  let aws: FaultServer;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    aws = await startFaultServer(async ({ headers }) => {
      asked++;
      const message = `cannot take ${CANARY}`;
      const [type, body] = headers['x-amz-target']
        ? [
            'application/x-amz-json-1.1',
            JSON.stringify({ __type: 'ValidationException', message, Item: CANARY }),
          ]
        : [
            'application/xml',
            `<Error><Code>InvalidArgument</Code><Message>${message}</Message><ArgumentValue>${CANARY}</ArgumentValue></Error>`,
          ];
      return { status: 400, headers: { 'content-type': type }, body: Buffer.from(body) };
    });
    env = {
      ...{ AWS_ENDPOINT_URL: aws.origin, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      ...{ AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
      ...{ POWERTOOLS_SERVICE_NAME: 'test', POWERTOOLS_METRICS_NAMESPACE: 'test' },
      ...{ VAULT_BUCKET_NAME: 'vault', STAGING_BUCKET_NAME: 'staging', INDEX_TABLE_NAME: 'index' },
      ...{
        PRODUCERS_TABLE_NAME: 'producers',
        USAGE_TABLE_NAME: 'usage',
        SUBJECTS_TABLE_NAME: 'subjects',
        AUTH_MODE: 'bearer',
      },
      ...{ LINEAGE_STREAM_NAME: 'lineage', TRACES_STREAM_NAME: 'traces' },
      ...{ ARCHIVE_FUNCTION_NAME: 'archive', ARCHIVE_TRACES_FUNCTION_NAME: 'archive-traces' },
      ...{ RUN_ID_ATTRIBUTES: 'lineage.run_id', TRACE_CONTEXT_FACETS: 'ctx' },
      ...{
        SIGNING_KEY_IDS: 'key',
        OWN_KEY_ARNS: 'key',
        SEAL_INTERVAL_MINUTES: '15',
        SEAL_FOLDER_DAYS: '15',
      },
      ...{ GUARDS: JSON.stringify(GUARDS), VERIFICATION_PERIOD_DAYS: '30' },
      ...{ SEAL_CLOSE_AFTER_SECONDS: '300', SEAL_GRACE_MINUTES: '60', SEAL_ANCHOR: 'unanchored' },
      ...{ MAX_RECORD_BYTES: '50000', KEY_CACHE_SECONDS: '60' },
      RETENTION: JSON.stringify(RETENTION),
      REPLICATED: 'false',
    };
  });
  afterAll(() => aws.close());

  it.each(Object.keys(FUNCTIONS))('%s prints and answers nothing of it', async (name) => {
    const { events } = await (FUNCTIONS[name] as (typeof FUNCTIONS)[string])(
      (ports) => ports,
      recorder(),
    );
    asked = 0;
    const { printed, code } = await run(`../../../lambdas/${name}/index.ts`, events, env);
    expect(asked).toBeGreaterThan(0);
    expect(printed).not.toContain(CANARY);
    expect(printed).toMatch(/unavailable|FunctionFailedError/);
    expect(code).toBe(0);
  });
});
