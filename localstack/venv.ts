import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UserError } from './errors.ts';
import { takeLock } from './lock.ts';
import { REPOSITORY } from './paths.ts';
import type { Python } from './prerequisites.ts';
import { run } from './process.ts';

const REQUIREMENTS = join(REPOSITORY, 'localstack', 'requirements.txt');
/** Written last: a folder without it is what an interrupted install left. */
const STAMP = 'complete';
/** 25 MB from a package index for the emulator, 320 MB for Spark; minutes only on a slow line. */
const INSTALL_LIMIT_MILLIS = 300_000;

/**
 * The virtual environment of some pinned requirements, the emulator's unless others are named; made once and shared.
 * Of several files a later one is built with what the earlier ones installed, so that build tools are pinned too. Returns its Python.
 */
export async function ensureVenv(
  python: Python,
  baseDir: string = join(REPOSITORY, '.local'),
  requirements: readonly string[] = [REQUIREMENTS],
): Promise<string> {
  const pinned = requirements.map((file) => readFileSync(file, 'utf8')).join('');
  const folder = join(baseDir, venvName(python, pinned));
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
  requirements: readonly string[],
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
  for (const [position, file] of requirements.entries()) {
    const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', file];
    if (position > 0) pip.push('--no-build-isolation');
    const installed = await run(join(folder, 'bin', 'python'), pip, options);
    if (installed.code !== 0) {
      const why = installed.timedOut ? 'did not finish in 5 minutes' : `failed (${log})`;
      throw new UserError(
        `Installing ${relative(REPOSITORY, file)} from the Python package index ${why}: check the network or the proxy settings of pip, then run the command again.`,
      );
    }
  }
  writeFileSync(join(folder, STAMP), `${python.version}\n`);
}
