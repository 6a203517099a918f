import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './errors.ts';
import { takeLock } from './lock.ts';
import { REPOSITORY } from './paths.ts';
import type { Python } from './prerequisites.ts';
import { run } from './process.ts';

const REQUIREMENTS = join(REPOSITORY, 'localstack', 'requirements.txt');
/** Written last: a folder without it is what an interrupted install left. */
const STAMP = 'complete';
/** About 25 MB from a package index; minutes only on a very slow line. */
const INSTALL_LIMIT_MILLIS = 300_000;

/** The virtual environment that holds the emulator, made once and shared by start and tests. Returns its Python. */
export async function ensureVenv(
  python: Python,
  baseDir: string = join(REPOSITORY, '.local'),
  requirements: string = REQUIREMENTS,
): Promise<string> {
  const folder = join(baseDir, venvName(python, readFileSync(requirements, 'utf8')));
  const executable = join(folder, 'bin', 'python');
  const isComplete = () => existsSync(join(folder, STAMP)) && existsSync(executable);
  if (isComplete()) return executable;
  // A venv holds its own path, so it cannot be built elsewhere and renamed: one builder at a time instead.
  const release = await takeLock(`${folder}.lock`, INSTALL_LIMIT_MILLIS);
  try {
    if (!isComplete()) await build(python, folder, requirements, join(baseDir, 'venv.log'));
  } finally {
    release();
  }
  return executable;
}

/** Folder name: changes with the pinned requirements and with the Python that runs them. */
function venvName(python: Python, requirements: string): string {
  const hash = createHash('sha256').update(requirements).update(`\n${python.version}`);
  return `venv-${hash.digest('hex').slice(0, 12)}`;
}

async function build(
  python: Python,
  folder: string,
  requirements: string,
  log: string,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  rmSync(log, { force: true });
  const options = { log, env: process.env, limitMillis: INSTALL_LIMIT_MILLIS };
  const made = await run(python.command, ['-m', 'venv', folder], options);
  if (made.code !== 0) {
    throw new UserError(
      `Python ${python.version} could not make a virtual environment (${log}): install its venv package, then run the command again.`,
    );
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', requirements];
  const installed = await run(join(folder, 'bin', 'python'), pip, options);
  if (installed.code !== 0) {
    const why = installed.timedOut ? 'did not finish in 5 minutes' : `failed (${log})`;
    throw new UserError(
      `Installing the emulator from the Python package index ${why}: check the network or the proxy settings of pip, then run the command again.`,
    );
  }
  writeFileSync(join(folder, STAMP), `${python.version}\n`);
}
