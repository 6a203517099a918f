import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { UserError } from './errors.ts';

/** A Python that can make a virtual environment. */
export interface Python {
  readonly command: string;
  /** `3.12.1` */
  readonly version: string;
}

const MINIMUM_MINOR = 10;
/** LocalStack's packages are pinned for this one; on 3.11 it starts and finds none of its own parts. */
const LOCALSTACK_PYTHON = '3.13';
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
/** ensurepip is what Debian and Ubuntu leave out of python3; without it `-m venv` fails half-way. */
const PROBE = 'import sys, venv, ensurepip; print("%d.%d.%d" % sys.version_info[:3])';
const VERSION_ONLY = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
/** A shim that waits for a network or a dialog (macOS developer tools) must not hang the start. */
const PROBE_MILLIS = 10_000;

/** Output of a Python one-liner; undefined when the command is missing or fails. */
export type PythonProbe = (command: string, code: string) => string | undefined;

/** Output of a command that may be missing; undefined when it is, or fails. */
export type Ask = (command: string, args: readonly string[]) => string | undefined;

/** Programs that know of Pythons which are not on the PATH, and how each is asked for one. */
const LOCATORS: readonly (readonly [command: string, args: readonly string[], below?: string])[] = [
  ['pyenv', ['prefix', LOCALSTACK_PYTHON], 'bin/python3'],
  ['uv', ['python', 'find', '--no-python-downloads', LOCALSTACK_PYTHON]],
];

/** Finds a Python >= 3.10 with venv. Throws a UserError that says what to install. */
export function findPython(probe: PythonProbe = runPython): Python {
  const seen: string[] = [];
  let withoutVenv: string | undefined;
  for (const command of CANDIDATES) {
    const version = probe(command, VERSION_ONLY)?.trim();
    if (version === undefined) continue;
    seen.push(version);
    if (!isSupportedPython(version)) continue;
    if (probe(command, PROBE) !== undefined) return { command, version };
    withoutVenv ??= version;
  }
  if (withoutVenv !== undefined) {
    const minor = withoutVenv.split('.').slice(0, 2).join('.');
    throw new UserError(
      `Python ${withoutVenv} has no venv module: install it (Debian, Ubuntu: apt-get install python${minor}-venv), then run the command again.`,
    );
  }
  const found = seen.length === 0 ? 'no Python was found' : `only Python ${seen[0]} was found`;
  throw new UserError(
    `The embedded emulator needs Python 3.${MINIMUM_MINOR} or newer with venv, and ${found}: install it so that python3 is on the PATH, then run the command again.`,
  );
}

/**
 * Finds a Python 3.13 with venv: what PYTHON313 names, else on the PATH, else what pyenv or uv keep beside it.
 * Throws a UserError that says what to install.
 */
export function findPython313(
  named = process.env.PYTHON313,
  probe: PythonProbe = runPython,
  ask: Ask = runCommand,
): Python {
  const candidates = named ? [named] : [...pythonsOnPath(), ...locatedPythons(ask)];
  let withoutVenv = false;
  for (const command of candidates) {
    const version = probe(command, VERSION_ONLY)?.trim();
    if (!version?.startsWith(`${LOCALSTACK_PYTHON}.`)) continue;
    if (probe(command, PROBE) !== undefined) return { command, version };
    withoutVenv = true;
  }
  if (withoutVenv) {
    throw new UserError(
      `Python ${LOCALSTACK_PYTHON} has no venv module: install it (Debian, Ubuntu: apt-get install python${LOCALSTACK_PYTHON}-venv), then run the command again.`,
    );
  }
  const missing = named ? `PYTHON313=${named} is none` : 'none was found';
  throw new UserError(
    `LocalStack needs Python ${LOCALSTACK_PYTHON} with venv, and ${missing}: install it (pyenv install ${LOCALSTACK_PYTHON}, uv python install ${LOCALSTACK_PYTHON}, or the packages python${LOCALSTACK_PYTHON} and python${LOCALSTACK_PYTHON}-venv of Debian 13), or name one in PYTHON313, then run the command again.`,
  );
}

function pythonsOnPath(): readonly string[] {
  return [`python${LOCALSTACK_PYTHON}`, 'python3', 'python'];
}

function* locatedPythons(ask: Ask): Generator<string> {
  for (const [command, args, below = ''] of LOCATORS) {
    const found = ask(command, args)?.trim();
    if (found) yield join(found, below);
  }
}

/** Whether a Python version (`3.9.18`) is new enough for the emulator. */
export function isSupportedPython(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= MINIMUM_MINOR);
}

function runPython(command: string, code: string): string | undefined {
  return runCommand(command, ['-c', code]);
}

function runCommand(command: string, args: readonly string[]): string | undefined {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
    return execFileSync(command, args, { encoding: 'utf8', timeout: PROBE_MILLIS, stdio });
  } catch {
    return undefined;
  }
}
