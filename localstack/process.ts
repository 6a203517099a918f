import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeJson } from './json-file.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

/** How a command is run: in its own process group, with all output in a log file and a time limit. */
export interface RunOptions {
  readonly log: string;
  /** While the command runs, this file holds its identity, for whoever comes after a kill -9 of this process. */
  readonly record?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly limitMillis: number;
  /** Asked every 250 ms; a text ends the group and becomes `abortedBy`. */
  readonly abortWhen?: () => string | undefined;
}

/** How a command ended: its exit code, or why it was ended. */
export interface RunResult {
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly abortedBy?: string;
}

/** A dead emulator must end cdk within a second; four looks a second are cheap. */
const WATCH_MILLIS = 250;

/** Runs a command to its end and never longer than its limit; the whole process group goes with it, also on Ctrl-C. */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const output = openLog(options.log);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (options.record && identity) writeJson(options.record, identity);
  return untilEnd(child, options);
}

function untilEnd(child: ChildProcess, options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    let abortedBy: string | undefined;
    let timedOut = false;
    const end = () => killGroup(child.pid, 'SIGKILL');
    const onSignal = () => {
      end();
      process.exit(130);
    };
    const limit = setTimeout(() => {
      timedOut = true;
      end();
    }, options.limitMillis);
    const watch = setInterval(() => {
      abortedBy ??= options.abortWhen?.();
      if (abortedBy !== undefined) end();
    }, WATCH_MILLIS);
    const stopWatching = () => {
      clearTimeout(limit);
      clearInterval(watch);
      if (options.record) rmSync(options.record, { force: true });
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('exit', end);
    };
    // However this process ends, the group must not go on without it.
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal).once('exit', end);
    child.once('error', (error) => {
      stopWatching();
      reject(error);
    });
    child.once('exit', (code) => {
      stopWatching();
      end();
      resolve({ code, timedOut, ...(abortedBy !== undefined && { abortedBy }) });
    });
  });
}

/** Starts a process that outlives this one, leader of its own group. Returns its identity; undefined when it died at once. */
export function startDetached(
  command: string,
  args: readonly string[],
  options: { readonly log: string; readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): ProcessIdentity | undefined {
  const output = openLog(options.log);
  const stdio = ['ignore', output, output] as const;
  const child = spawn(command, args, { ...options, detached: true, stdio: [...stdio] });
  // Without a listener a missing command would end this process with a stack trace.
  child.once('error', () => {});
  closeSync(output);
  child.unref();
  return child.pid === undefined ? undefined : identify(child.pid);
}

/** Signals a process group whose leader we started; a group that is gone is no error. */
export function killGroup(groupId: number | undefined, signal: NodeJS.Signals): void {
  // 0 and 1 would mean our own group and everything.
  if (groupId === undefined || groupId <= 1) return;
  try {
    process.kill(-groupId, signal);
  } catch {
    // ESRCH: already gone.
  }
}

/** Asks the leader to end, waits, then ends whatever is left of its group. Returns whether it went by itself. */
export async function endGroup(leader: ProcessIdentity, graceMillis: number): Promise<boolean> {
  if (!isRunning(leader)) return false;
  process.kill(leader.pid, 'SIGTERM');
  const wentByItself = await waitUntil(() => !isRunning(leader), graceMillis);
  killGroup(leader.pid, 'SIGKILL');
  await waitUntil(() => !isRunning(leader), 2_000);
  return wentByItself;
}

/** Polls until the condition holds; false when the limit passed first. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  limitMillis: number,
  everyMillis = 50,
): Promise<boolean> {
  const deadline = Date.now() + limitMillis;
  while (!(await condition())) {
    if (Date.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, everyMillis));
  }
  return true;
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', 0o600);
}
