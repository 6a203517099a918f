import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../../localstack/paths.ts';
import { run } from '../../localstack/process.ts';

/** How a client program ended: its exit code and everything that it printed. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

// The Python client retries one event for 40 s at most when the receiver hangs; dbt and Spark start slowly.
const PROGRAM_LIMIT_MILLIS = 120_000;

/**
 * Runs a client program in a process of its own, in the repository unless another folder is named. It sees
 * PATH and the given settings, nothing else of our environment: OPENLINEAGE_* and OTEL_* variables would
 * change what is sent.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd: string = REPOSITORY,
): Promise<Ended> {
  return await withFolder(async (folder) => {
    const log = join(folder, 'log');
    const env = { PATH: process.env.PATH, HOME: folder, ...settings };
    const limitMillis = PROGRAM_LIMIT_MILLIS;
    const { code } = await run(command, args, { log, env, cwd, limitMillis });
    return { code, output: readFileSync(log, 'utf8') };
  });
}

/** As {@link runProgram}, with a plan in a file that is its last argument. Throws when the program fails. */
export async function runPlanned(
  command: string,
  args: readonly string[],
  plan: unknown,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  return await withFolder(async (folder) => {
    const planFile = join(folder, 'plan.json');
    writeFileSync(planFile, JSON.stringify(plan));
    const { code, output } = await runProgram(command, [...args, planFile], settings);
    if (code !== 0) throw new Error(`client ended with ${code}:\n${output}`);
    return output;
  });
}

/** A temporary folder for the time of the work. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'evidence-clients-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
