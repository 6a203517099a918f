import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endGroup, run, startDetached, waitUntil } from '../../../localstack/process.ts';
import { identify, isRunning } from '../../../localstack/process-identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'process-'));
const options = { log: join(folder, 'log'), env: process.env, limitMillis: 10_000 };
/** Starts a child of its own, says its id, and waits. */
const PARENT = `
const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
console.log('child', child.pid);
setInterval(() => {}, 1000);`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function childOf(log: string): number {
  return Number(/child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1]);
}

describe('run', () => {
  it('returns the exit code and keeps the output', async () => {
    const log = join(folder, 'code');
    const result = await run(process.execPath, ['-e', 'console.log("out"); process.exit(3)'], {
      ...options,
      log,
    });
    expect(result).toEqual({ code: 3, timedOut: false });
    expect(readFileSync(log, 'utf8')).toBe('out\n');
  });

  it('ends the whole group at the time limit', async () => {
    const log = join(folder, 'limit');
    const started = Date.now();
    const limited = { ...options, log, limitMillis: 1_000 };
    const result = await run(process.execPath, ['-e', PARENT], limited);
    expect(result.timedOut).toBe(true);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(await waitUntil(() => identify(childOf(log)) === undefined, 2_000)).toBe(true);
  });

  it('ends the whole group within seconds when what it needs is gone', async () => {
    const log = join(folder, 'abort');
    const gone = Date.now() + 500;
    const abortWhen = () => (Date.now() > gone ? 'gone' : undefined);
    const result = await run(process.execPath, ['-e', PARENT], { ...options, log, abortWhen });
    expect(result.abortedBy).toBe('gone');
    expect(Date.now() - gone).toBeLessThan(5_000);
    expect(await waitUntil(() => identify(childOf(log)) === undefined, 2_000)).toBe(true);
  });

  it('rejects for a command that does not exist', async () => {
    await expect(run(join(folder, 'nothing'), [], options)).rejects.toThrow(/ENOENT/);
  });
});

describe('endGroup', () => {
  it('ends a detached process with its children and says that it went by itself', async () => {
    const log = join(folder, 'detached');
    const started = startDetached(process.execPath, ['-e', PARENT], { ...options, log });
    if (started === undefined) throw new Error('did not start');
    expect(isRunning(started)).toBe(true);
    await waitUntil(() => childOf(log) > 0, 5_000);
    expect(await endGroup(started, 5_000)).toBe(true);
    expect(isRunning(started)).toBe(false);
    expect(await waitUntil(() => identify(childOf(log)) === undefined, 2_000)).toBe(true);
  });

  it('kills a process that does not listen', async () => {
    const deaf =
      'process.on("SIGTERM", () => {}); console.log("child 1"); setInterval(() => {}, 1e3)';
    const log = join(folder, 'deaf');
    const started = startDetached(process.execPath, ['-e', deaf], { ...options, log });
    if (started === undefined) throw new Error('did not start');
    await waitUntil(() => childOf(log) === 1, 5_000);
    expect(await endGroup(started, 300)).toBe(false);
    expect(isRunning(started)).toBe(false);
  });

  it('never touches a process whose id was used before', async () => {
    const self = identify(process.pid);
    if (self === undefined) throw new Error('this process runs');
    const former = { ...self, startedAt: `${self.startedAt}-earlier` };
    expect(isRunning(former)).toBe(false);
    expect(await endGroup(former, 100)).toBe(false);
  });
});
