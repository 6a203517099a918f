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
/** From a package index 25 MB for MiniStack, 110 MB for LocalStack (2 minutes), 320 MB for Spark; longer only on a slow line. */
const INSTALL_LIMIT_MILLIS = 600_000;

/** What a virtual environment holds. */
export interface VenvOptions {
  /** @default - `.local` of the repository */
  readonly baseDir?: string;
  /**
   * Files of pinned requirements; of several a later one is built with what the earlier ones installed, so that build
   * tools are pinned too.
   * @default - those of MiniStack
   */
  readonly requirements?: readonly string[];
  /** Folder of a Python package that is installed in place, after the requirements. */
  readonly project?: string;
}

/** The virtual environment of some pinned requirements; made once and shared. Returns its Python. */
export async function ensureVenv(python: Python, options: VenvOptions = {}): Promise<string> {
  const { baseDir = join(REPOSITORY, '.local'), requirements = [REQUIREMENTS], project } = options;
  const files = [...requirements, ...(project ? [join(project, 'pyproject.toml')] : [])];
  const pinned = files.map((file) => readFileSync(file, 'utf8')).join('');
  const folder = join(baseDir, venvName(python, pinned));
  const executable = join(folder, 'bin', 'python');
  const isComplete = () => existsSync(join(folder, STAMP)) && existsSync(executable);
  if (isComplete()) return executable;
  // A venv holds its own path, so it cannot be built elsewhere and renamed: one builder at a time instead.
  const release = await takeLock(`${folder}.lock`, INSTALL_LIMIT_MILLIS);
  try {
    if (!isComplete()) await build(python, folder, installs(requirements, project), baseDir);
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

/** One call of pip: its arguments, and what it installs, for messages. */
interface Install {
  readonly args: readonly string[];
  readonly what: string;
}

function installs(requirements: readonly string[], project: string | undefined): Install[] {
  const pinned = requirements.map((file, position) => ({
    args: ['--require-hashes', '-r', file, ...(position > 0 ? ['--no-build-isolation'] : [])],
    what: relative(REPOSITORY, file),
  }));
  if (project === undefined) return pinned;
  const args = ['--no-index', '--no-deps', '--no-build-isolation', '--editable', project];
  return [...pinned, { args, what: relative(REPOSITORY, project) }];
}

async function build(
  python: Python,
  folder: string,
  installing: readonly Install[],
  baseDir: string,
): Promise<void> {
  const log = join(baseDir, 'venv.log');
  rmSync(folder, { recursive: true, force: true });
  rmSync(log, { force: true });
  const options = { log, env: process.env, limitMillis: INSTALL_LIMIT_MILLIS };
  const made = await run(python.command, ['-m', 'venv', folder], options);
  if (made.code !== 0) {
    throw new UserError(
      `Python ${python.version} could not make a virtual environment (${log}): install its venv package, then run the command again.`,
    );
  }
  for (const { args, what } of installing) {
    const pip = ['-m', 'pip', 'install', '--quiet', ...args];
    const installed = await run(join(folder, 'bin', 'python'), pip, options);
    if (installed.code !== 0) {
      const why = installed.timedOut ? 'did not finish in 10 minutes' : `failed (${log})`;
      throw new UserError(
        `Installing ${what} from the Python package index ${why}: check the network or the proxy settings of pip, then run the command again.`,
      );
    }
  }
  writeFileSync(join(folder, STAMP), `${python.version}\n`);
}
