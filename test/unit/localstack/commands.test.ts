import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { writeJson } from '../../../localstack/json-file.ts';
import { claimFolder } from '../../../localstack/local-folder.ts';
import { localPaths, REPOSITORY } from '../../../localstack/paths.ts';
import { freePort } from '../../../localstack/port.ts';
import { waitUntil } from '../../../localstack/process.ts';
import { identify } from '../../../localstack/process-identity.ts';

const root = mkdtempSync(join(tmpdir(), 'commands-'));
/** Where the Python below says that it was asked to install, with its process id. */
const installing = join(root, 'installing');
const LIMIT_MILLIS = 30_000;

/** A Python of a version that nobody has installed; making its venv takes for ever. */
const PYTHON = `#!/bin/sh
[ "$1" = -c ] && { echo 3.99.9; exit; }
echo $$ > "${installing}"
exec sleep 300
`;
writeFileSync(join(root, 'python3'), PYTHON);
chmodSync(join(root, 'python3'), 0o755);

afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs an entry point as npm does; one that hangs is killed and has no exit code. */
function launch(
  name: string,
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; end: Promise<Ended> } {
  const entry = join(REPOSITORY, 'localstack', `${name}.ts`);
  const child = spawn(process.execPath, ['--import', 'tsx', entry], {
    cwd: REPOSITORY,
    env: { ...process.env, PATH: `${root}:${process.env.PATH}`, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LIMIT_MILLIS,
    killSignal: 'SIGKILL',
  });
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const end = Promise.all([code, text(child.stderr)]).then(([ended, stderr]) => ({
    code: ended,
    stderr,
  }));
  return { child, end };
}

describe('npm start', () => {
  it.each([
    ['a folder that cannot be made', '/proc/nope', 'ENOENT'],
    ['a file', './README.md', 'ENOTDIR'],
  ])('says in one sentence that LOCAL_DIR is %s', async (_what, LOCAL_DIR, reason) => {
    const { end } = launch('start', { LOCAL_DIR });
    const { code, stderr } = await end;
    expect(stderr).toMatch(
      /^The folder \S+ cannot be used \(E[A-Z]+\): name another one in LOCAL_DIR\.\n$/,
    );
    if (process.platform === 'linux') expect(stderr).toContain(reason);
    expect(code).toBe(1);
  });

  it('looks at the port before it installs anything', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    const LOCAL_DIR = join(root, 'port');
    const { end } = launch('start', { LOCAL_DIR, EMULATOR_PORT: String(port) });
    const { code, stderr } = await end;
    server.close();
    expect(stderr).toContain(`Port ${port} is taken`);
    expect(code).toBe(1);
    expect(existsSync(installing)).toBe(false);
  });

  it.each([
    ['SIGINT', undefined, /^Interrupted before the emulator ran, .*: npm start begins again\.\n$/m],
    // This process takes the part of the emulator.
    [
      'SIGTERM',
      identify(process.pid),
      /^Interrupted, and the emulator is left running: npm start/m,
    ],
  ] as const)('says what %s leaves behind', async (signal, emulator, sentence) => {
    rmSync(installing, { force: true });
    const LOCAL_DIR = join(root, signal);
    const port = await freePort();
    claimFolder(LOCAL_DIR);
    if (emulator) writeJson(localPaths(LOCAL_DIR).emulatorRecord, { process: emulator, port });
    const { child, end } = launch('start', { LOCAL_DIR, EMULATOR_PORT: String(port) });
    expect(await waitUntil(() => existsSync(installing), LIMIT_MILLIS)).toBe(true);
    expect(readdirSync(LOCAL_DIR)).toContain('start.lock');
    child.kill(signal);
    expect(await end).toEqual({
      code: 130,
      stderr: expect.stringMatching(sentence),
    });
    expect(readdirSync(LOCAL_DIR)).not.toContain('start.lock');
    const pid = Number(readFileSync(installing, 'utf8'));
    expect(await waitUntil(() => identify(pid) === undefined, 2_000)).toBe(true);
  });
});

describe('npm run reset', () => {
  it('removes what it says and names what stays', async () => {
    const LOCAL_DIR = join(root, 'reset');
    claimFolder(LOCAL_DIR);
    const marker = readdirSync(LOCAL_DIR);
    for (const name of ['emulator', 'event-source', 'cdk.out']) mkdirSync(join(LOCAL_DIR, name));
    for (const name of ['environment.json', 'workload.json', 'emulator.log', 'cdk.log']) {
      writeFileSync(join(LOCAL_DIR, name), '{}');
    }
    const { code, stderr } = await launch('reset', { LOCAL_DIR }).end;
    expect(stderr).toBe(
      `Stopped, and what was stored is removed with its keys; the logs and the synthesised stacks stay in ${LOCAL_DIR}.\n`,
    );
    expect(code).toBe(0);
    expect(readdirSync(LOCAL_DIR).sort()).toEqual(
      [...marker, 'cdk.log', 'cdk.out', 'emulator.log'].sort(),
    );
  });

  it('refuses a folder of somebody else', async () => {
    const LOCAL_DIR = join(root, 'theirs');
    mkdirSync(join(LOCAL_DIR, 'event-source'), { recursive: true });
    const { code, stderr } = await launch('reset', { LOCAL_DIR }).end;
    expect(stderr).toContain(`The folder ${LOCAL_DIR} holds files that are not`);
    expect(code).toBe(1);
    expect(readdirSync(LOCAL_DIR)).toEqual(['event-source']);
  });
});
