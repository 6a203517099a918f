import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environments } from '../lib/config/environments.ts';
import { retentionSetting } from '../lib/config/retention-setting.ts';
import { REPOSITORY } from '../localstack/paths.ts';
import type { Benchmark } from './benchmark.ts';
import { type Bundle, buildFunction, entryOf, variablesOf } from './function-bundle.ts';
import { spreadOf } from './statistics.ts';

const ROUNDS = 13;

/** What nobody can do without: one SDK client, bundled the same way. */
const FLOOR = 'one SDK client';
const FLOOR_SOURCE =
  "import { KinesisClient } from '@aws-sdk/client-kinesis'; export const client = new KinesisClient({});";

/** Variables that must be more than text. */
const PARSED_VARIABLES = {
  MAX_RECORD_BYTES: '1000000',
  RETENTION: JSON.stringify(retentionSetting(environments.local)),
  AUTH_MODE: environments.local.endpoint.auth,
  KEY_CACHE_SECONDS: String(environments.local.keyCacheSeconds),
};

/** Size and cold init time of every function, bundled as it is deployed. */
export const bundle: Benchmark = {
  summary: 'size and init time of every function against one SDK client alone',

  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'bench-bundle-'));
    try {
      const bundles: Record<string, Bundle> = {
        [FLOOR]: await buildFunction({ source: FLOOR_SOURCE }, join(folder, 'floor.mjs')),
      };
      const folders = functionFolders();
      for (const name of folders) {
        const entry = entryOf(name);
        bundles[name] = await buildFunction({ entry }, join(folder, `${name}.mjs`));
      }
      const inits = measureInits(bundles, await dummyEnvironment(folders));
      const floor = inits[FLOOR] as number[];
      return {
        rows: Object.entries(bundles).map(([name, { bytes, packages }]) => {
          const init = inits[name] as number[];
          return {
            function: name,
            bytes,
            initMillis: spreadOf(init),
            ratio: spreadOf(init.map((millis, round) => millis / (floor[round] as number))),
            largest: packages
              .map(([part, size]) => `${part} ${Math.round(size / 1_000)}`)
              .join(', '),
          };
        }),
        notes: [
          'bytes: minified, not compressed; largest: packages with their share in KB',
          'init: start of a fresh Node process until the bundle is imported, less the same of a process that imports nothing',
          `ratio: init over that of ${FLOOR}`,
        ],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function functionFolders(): string[] {
  return readdirSync(join(REPOSITORY, 'lambdas')).filter((folder) =>
    statSync(join(REPOSITORY, entryOf(folder)), { throwIfNoEntry: false })?.isFile(),
  );
}

/** What the functions read when they are loaded; nothing is called. */
async function dummyEnvironment(folders: readonly string[]): Promise<Record<string, string>> {
  const names = (await Promise.all(folders.map(variablesOf))).flat();
  return {
    ...Object.fromEntries(names.map((name) => [name, 'bench'])),
    ...PARSED_VARIABLES,
    AWS_REGION: 'eu-central-1',
    POWERTOOLS_METRICS_NAMESPACE: 'bench',
    POWERTOOLS_SERVICE_NAME: 'bench',
  };
}

/** Milliseconds that each bundle adds to the start of a process, by round; bundles take turns. */
function measureInits(
  bundles: Readonly<Record<string, Bundle>>,
  env: Readonly<Record<string, string>>,
): Record<string, number[]> {
  const inits: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const empty = startMillis('', env);
    for (const [name, { path }] of Object.entries(bundles)) {
      inits[name] ??= [];
      inits[name].push(
        startMillis(`await import(${JSON.stringify(pathToFileURL(path))});`, env) - empty,
      );
    }
  }
  return inits;
}

/** Age of a fresh process when it has run a piece of code. */
function startMillis(code: string, env: Readonly<Record<string, string>>): number {
  const script = `${code}process.stdout.write(String(performance.now()));process.exit();`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env,
  });
  return Number(printed);
}
