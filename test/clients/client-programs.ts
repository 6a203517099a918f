import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../../localstack/paths.ts';
import { findPython } from '../../localstack/prerequisites.ts';
import { run } from '../../localstack/process.ts';
import { ensureVenv } from '../../localstack/venv.ts';
import type { WorkloadPlan } from './plan.ts';

/** Where a client is pointed, in the form that this client needs (environment.json: clientUrls). */
export interface ClientTarget {
  readonly url: string;
  readonly key: string;
}

// The Python client retries one event for 40 s at most when the receiver hangs.
const PROGRAM_LIMIT_MILLIS = 60_000;
const CLIENTS = join(REPOSITORY, 'test', 'clients');

/** Python with the pinned client installed; made once under `.local`. Needs a package index the first time. */
export async function installPythonClient(): Promise<string> {
  const requirements = join(CLIENTS, 'requirements.txt');
  return await ensureVenv(findPython(), join(REPOSITORY, '.local'), requirements);
}

/** Why the Python client cannot run here, for the name of a skipped test; undefined when it can. */
export function reasonWithoutPython(): string | undefined {
  try {
    findPython();
    return undefined;
  } catch {
    return 'needs Python 3.10 or newer with venv';
  }
}

/** Runs openlineage-python over the plan. Throws when an event was refused or the client gave up. */
export async function runPythonClient(
  python: string,
  plan: WorkloadPlan,
  { url, key }: ClientTarget,
): Promise<void> {
  const program = join(CLIENTS, 'workload.py');
  await runProgram(python, [program], plan, { EVIDENCE_URL: url, EVIDENCE_KEY: key });
}

/** Runs the OpenTelemetry SDK over the plan. The SDK hides a refused export: look at what the proxy saw. */
export async function runOtelClient(plan: WorkloadPlan, { url, key }: ClientTarget): Promise<void> {
  const program = join(CLIENTS, 'spans.ts');
  await runProgram(process.execPath, ['--import', 'tsx', program], plan, {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=${encodeURIComponent(`Bearer ${key}`)}`,
  });
}

async function runProgram(
  command: string,
  args: readonly string[],
  plan: WorkloadPlan,
  settings: Record<string, string>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evidence-clients-'));
  try {
    const planFile = join(folder, 'plan.json');
    const log = join(folder, 'log');
    writeFileSync(planFile, JSON.stringify(plan));
    // Nothing else of our environment: OPENLINEAGE_* and OTEL_* variables would change what is sent.
    const env = { PATH: process.env.PATH, ...settings };
    const limitMillis = PROGRAM_LIMIT_MILLIS;
    const { code } = await run(command, [...args, planFile], {
      log,
      env,
      cwd: REPOSITORY,
      limitMillis,
    });
    if (code !== 0) throw new Error(`client ended with ${code}:\n${readFileSync(log, 'utf8')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
