import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderResult } from '../../../bench/table.ts';
import type { CliContext } from '../../../bin/evidence/cli.ts';
import { openDeployment } from '../../../bin/evidence/deployment.ts';
import { addHoldCommand } from '../../../bin/evidence/hold.ts';
import { addRunCommand } from '../../../bin/evidence/run.ts';
import { addTraceCommand } from '../../../bin/evidence/trace.ts';

const LINE = 'Local emulator ministack 1.5.33: evidence made here proves nothing about AWS.\n';
const emulator = { name: 'ministack', version: '1.5.33' };
const EMULATED = 'http://127.0.0.1:4566/restapis/abc/local/_user_request_';

let localDir: string;
let written: { stdout: string; stderr: string };

const contextWith = (env: NodeJS.ProcessEnv): CliContext => {
  const sink = (name: 'stdout' | 'stderr') =>
    ({ write: (text: string) => (written[name] += text) }) as unknown as NodeJS.WritableStream;
  return {
    env: { LOCAL_DIR: localDir, ...env },
    stdout: sink('stdout'),
    stderr: sink('stderr'),
  };
};

beforeEach(() => {
  localDir = mkdtempSync(join(tmpdir(), 'evidence-'));
  written = { stdout: '', stderr: '' };
  vi.stubGlobal('fetch', async () => new Response('{"items":[],"cursor":null}'));
});
afterEach(() => {
  vi.unstubAllGlobals();
  rmSync(localDir, { recursive: true });
});

const record = (content: object) =>
  writeFileSync(join(localDir, 'environment.json'), JSON.stringify(content));
const recorded = () => record({ apiUrl: EMULATED, keys: { read: 'k' }, emulator });

/** A command of the API; its answer is an empty list. */
async function ask(args: string[], env: NodeJS.ProcessEnv = {}) {
  const program = new Command().option('--url <u>').option('--key <k>').option('--json');
  const context = contextWith(env);
  for (const add of [addHoldCommand, addRunCommand, addTraceCommand]) add(program, context);
  await program.parseAsync(args, { from: 'user' });
}

describe('the first line of an answer of an emulator', () => {
  it('names it, above the answer', async () => {
    recorded();
    await ask(['hold', 'list']);
    expect(written.stdout.startsWith(LINE)).toBe(true);
    expect(written.stdout.length).toBeGreaterThan(LINE.length);
    expect(written.stderr).toBe('');
  });

  it.each([[['hold', 'list']], [['run', 'r']], [['trace', 't']]])(
    'stands beside the one JSON document of %j',
    async (args) => {
      recorded();
      await ask(['--json', ...args]);
      expect(written).toEqual({ stdout: '{"items":[],"cursor":null}\n', stderr: LINE });
    },
  );

  it('is said of its URL, too, which no record names', async () => {
    await ask(['hold', 'list', '--url', EMULATED, '--key', 'k']);
    expect(written.stdout).toMatch(/^An emulator answers at this URL: .*\n/);
  });

  it('is said by what administers it', () => {
    recorded();
    openDeployment({}, contextWith({}));
    expect(written.stdout).toBe(LINE);
  });

  it('is not said of an account', async () => {
    record({
      apiUrl: 'https://abc.execute-api.eu-central-1.amazonaws.com/trial',
      keys: { read: 'k' },
    });
    await ask(['--json', 'hold', 'list']);
    openDeployment({}, contextWith({}));
    expect(written).toEqual({ stdout: '{"items":[],"cursor":null}\n', stderr: '' });
  });

  it('stands above figures that were measured on it', () => {
    const text = renderResult('path', { emulator: 'Local emulator x', rows: [], notes: [] });
    expect(text.split('\n')[0]).toBe('Local emulator x');
  });
});
