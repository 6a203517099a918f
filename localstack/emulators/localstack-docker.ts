import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { REPOSITORY } from '../paths.ts';
import type { EmulatorKind } from './kind.ts';
import { localstack } from './localstack.ts';

const COMPOSE = join(REPOSITORY, 'localstack', 'compose.yaml');
const PROBE_MILLIS = 20_000;
/** What the docker command reads: where the engine is, and who may pull. */
const INHERITED = ['PATH', 'HOME', 'DOCKER_HOST', 'DOCKER_CONFIG', 'DOCKER_CONTEXT'];

/**
 * LocalStack's container, for those who have Docker and a token of its maker; the paid parts that the token allows are in
 * it. `docker compose up` stays in the foreground and takes the part of the emulator's process.
 */
export const localstackDocker: EmulatorKind = {
  ...localstack,
  name: 'localstack-docker',
  gaps: [...localstack.gaps, 'its container was never tried with this repository'],
  pretendedTypes: [],
  install: async () => {
    if (!hasCompose()) {
      throw new UserError(
        'EMULATOR=localstack-docker needs Docker with its compose plugin and a running engine: install it, or use EMULATOR=localstack, which needs neither.',
      );
    }
    if (!process.env.LOCALSTACK_AUTH_TOKEN) {
      throw new UserError(
        'The container of LocalStack needs a token of its maker in LOCALSTACK_AUTH_TOKEN: set it, or use EMULATOR=localstack, which needs none.',
      );
    }
    return 'docker';
  },
  launch: (dataDir, port) => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const kept = [...INHERITED, 'LOCALSTACK_AUTH_TOKEN'].map((name) => [name, process.env[name]]);
    return {
      args: ['compose', '--file', COMPOSE, 'up', '--no-color', '--abort-on-container-exit'],
      env: {
        ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
        EMULATOR_PORT: String(port),
      },
    };
  },
};

function hasCompose(): boolean {
  try {
    for (const args of [['compose', 'version'], ['info']]) {
      execFileSync('docker', args, { stdio: 'ignore', timeout: PROBE_MILLIS });
    }
    return true;
  } catch {
    return false;
  }
}
