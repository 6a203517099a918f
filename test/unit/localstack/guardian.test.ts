import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endpointOf } from '../../../localstack/aws.ts';
import type { Emulator } from '../../../localstack/emulator-record.ts';
import { runnerFiles } from '../../../localstack/event-source.ts';
import { writeJson } from '../../../localstack/json-file.ts';
import { claimFolder } from '../../../localstack/local-folder.ts';
import { localPaths } from '../../../localstack/paths.ts';
import { freePort } from '../../../localstack/port.ts';
import { startDetached, waitUntil } from '../../../localstack/process.ts';
import { identify, isRunning, type ProcessIdentity } from '../../../localstack/process-identity.ts';
import { startGuardian } from '../../../localstack/temporary.ts';

const root = mkdtempSync(join(tmpdir(), 'guardian-'));
const IDLE = ['-e', 'setInterval(() => {}, 1000)'];
const started: ProcessIdentity[] = [];

afterAll(() => {
  for (const { pid } of started.filter(isRunning)) process.kill(pid, 'SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

/** A process that takes the part of an emulator, a cdk or an owner. */
function idle(): ProcessIdentity {
  const identity = startDetached(process.execPath, IDLE, {
    log: join(root, 'log'),
    env: process.env,
  });
  if (identity === undefined) throw new Error('did not start');
  started.push(identity);
  return identity;
}

async function record(folder: string): Promise<ProcessIdentity> {
  const identity = idle();
  const port = await freePort();
  const emulator: Emulator = {
    process: identity,
    name: 'ministack',
    processGroup: identity.pid,
    port,
    endpoint: endpointOf(port),
    version: '0',
  };
  mkdirSync(folder, { recursive: true });
  writeJson(localPaths(folder).emulatorRecord, emulator);
  return identity;
}

function guarded(name: string, owner: ProcessIdentity) {
  const folder = join(root, name);
  claimFolder(folder);
  const guardian = startGuardian(folder, owner);
  started.push(guardian);
  return { folder, guardian };
}

const ends = (identity: ProcessIdentity) => waitUntil(() => !isRunning(identity), 20_000);

describe('the guardian of an environment', () => {
  it('ends and removes everything when its owner was killed, then ends', async () => {
    const child = spawn(process.execPath, IDLE);
    const owner = identify(child.pid ?? 0);
    if (owner === undefined) throw new Error('did not start');
    const { folder, guardian } = guarded('killed', owner);
    const emulator = await record(folder);
    const nested = await record(join(folder, 'of-a-test'));
    const cdk = idle();
    writeJson(localPaths(folder).cdkRecord, cdk);
    // Killed before the runner had loaded, so that it holds no lock yet.
    const runner = idle();
    writeJson(runnerFiles(localPaths(folder).eventSource).started, runner);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect([guardian, emulator, nested, cdk, runner].filter(isRunning)).toHaveLength(5);

    child.kill('SIGKILL');
    expect(await ends(guardian)).toBe(true);
    expect([emulator, nested, cdk, runner].filter(isRunning)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('does not take a later process with the same id for the owner', async () => {
    const { folder, guardian } = guarded('reused', { pid: process.pid, startedAt: 'before' });
    expect(await ends(guardian)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  });

  it('ends when the environment was taken down in the normal way', async () => {
    const { folder, guardian } = guarded('normal', idle());
    rmSync(folder, { recursive: true });
    expect(await ends(guardian)).toBe(true);
  });
});
