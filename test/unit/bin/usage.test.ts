import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../../localstack/paths.ts';

/** A process of its own compiles everything it imports. */
const LIMIT_MILLIS = 30_000;

let localDir: string;
beforeAll(() => {
  localDir = mkdtempSync(join(tmpdir(), 'usage-'));
  // Nothing listens on port 1.
  const record = { apiUrl: 'http://127.0.0.1:1/trial', keys: { read: 'k' } };
  writeFileSync(join(localDir, 'trial.json'), JSON.stringify(record));
  const unreached = {
    ...{ stage: 'trial', endpointUrl: 'http://127.0.0.1:1', region: 'us-east-1' },
    ...{ buckets: {}, tables: { producers: 'p' } },
  };
  writeFileSync(join(localDir, 'unreached.json'), JSON.stringify(unreached));
  writeFileSync(join(localDir, 'torn.json'), '{');
});
afterAll(() => rmSync(localDir, { recursive: true }));

/** Runs a program of bin/ in another folder of the repository. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', join(REPOSITORY, 'bin', program), ...args],
    {
      cwd: join(REPOSITORY, 'docs'),
      env: { PATH: process.env.PATH, LOCAL_DIR: localDir, ...env },
      encoding: 'utf8',
      timeout: LIMIT_MILLIS,
    },
  );
  return { status, stdout, stderr };
}

describe.each(['evidence.ts', 'deploy.ts'])('bin/%s', (program) => {
  it('ends with 2 and names an option that it does not know', { timeout: LIMIT_MILLIS }, () => {
    expect(run(program, ['--stag', 'prod'])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: unknown option '--stag'\n.*--stage/),
    });
  });

  it('explains itself and ends with 0', { timeout: LIMIT_MILLIS }, () => {
    expect(run(program, ['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--stage <stage>'),
    });
  });
});

describe('bin/deploy.ts', () => {
  it.each([
    [[], /^Name the stage: /],
    [['--stage', 'local'], /^Name the stage: .*npm start/],
    [['--stage', 'nowhere'], /no environment nowhere/],
    [['--stage', 'prod'], /^COMPLIANCE cannot be undone: /],
    [['prod'], /^error: too many arguments/],
  ])('deploys nothing when called with %j', { timeout: LIMIT_MILLIS }, (args, sentence) => {
    // Whatever the environment names: what cannot be undone is named on the command line.
    const ended = run('deploy.ts', args, { STAGE: 'dev' });
    expect(ended).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});

describe('bin/evidence.ts', () => {
  it.each([
    [['--stage', 'trial'], {}, 3, /127\.0\.0\.1:1\/trial does not answer/],
    [[], { STAGE: 'trial' }, 3, /127\.0\.0\.1:1\/trial does not answer/],
    [['--stage', 'dev'], { STAGE: 'trial' }, 2, /^No deployment of dev is recorded/],
    [[], {}, 2, /^No store is named.*npm start/],
    [[], { STAGE: '' }, 2, /^No store is named.*npm start/],
  ])(
    'finds the stage of %j and %j',
    { timeout: LIMIT_MILLIS },
    (options, env, status, sentence) => {
      const ended = run('evidence.ts', [...options, 'run', 'r'], env);
      expect(ended).toEqual({ status, stdout: '', stderr: expect.stringMatching(sentence) });
    },
  );

  it.each([['run'], ['hold', 'set'], ['verify'], ['erase-subject']])(
    'tells of the options that every command has: %s %s',
    { timeout: LIMIT_MILLIS },
    (...command) => {
      expect(run('evidence.ts', [...command, '--help']).stdout).toMatch(/--stage <.*--json/s);
    },
  );

  it('says that a store behind AWS credentials does not answer', { timeout: LIMIT_MILLIS }, () => {
    expect(run('evidence.ts', ['--stage', 'unreached', 'producers', 'list'])).toEqual({
      status: 3,
      stdout: '',
      stderr: expect.stringMatching(/^The store does not answer \(ECONNREFUSED\): .*npm start/),
    });
  });

  it('tells a record that cannot be read from none', { timeout: LIMIT_MILLIS }, () => {
    expect(run('evidence.ts', ['--stage', 'torn', 'run', 'r'])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/torn\.json cannot be read: npm run deploy/),
    });
  });

  it('ends quietly when its reader has seen enough', { timeout: LIMIT_MILLIS }, async () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(REPOSITORY, 'bin/evidence.ts'), 'redact'],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    child.stdin.on('error', () => undefined); // it ends while it is still being written to
    child.stdout.destroy();
    child.stdin.end('select 1\n'.repeat(100_000));
    const stderr = text(child.stderr);
    expect([await once(child, 'exit'), await stderr]).toEqual([[141, null], '']);
  });

  // /dev/full is a device of Linux
  it.runIf(process.platform === 'linux')(
    'is no finding when the answer cannot be written',
    { timeout: LIMIT_MILLIS },
    () => {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--import', 'tsx', join(REPOSITORY, 'bin/evidence.ts'), 'redact'],
        { stdio: ['pipe', full, 'pipe'], input: 'select 1\n', encoding: 'utf8' },
      );
      closeSync(full);
      expect([status, stderr]).toEqual([3, 'The answer could not be written (ENOSPC).\n']);
    },
  );
});
