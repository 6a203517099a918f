import { execFileSync } from 'node:child_process';
import { UserError } from './errors.ts';

/** A Python that can make a virtual environment. */
export interface Python {
  readonly command: string;
  /** `3.12.1` */
  readonly version: string;
}

const MINIMUM_MINOR = 10;
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
/** ensurepip is what Debian and Ubuntu leave out of python3; without it `-m venv` fails half-way. */
const PROBE = 'import sys, venv, ensurepip; print("%d.%d.%d" % sys.version_info[:3])';
const VERSION_ONLY = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
/** A shim that waits for a network or a dialog (macOS developer tools) must not hang the start. */
const PROBE_MILLIS = 10_000;

/** Output of a Python one-liner; undefined when the command is missing or fails. */
export type PythonProbe = (command: string, code: string) => string | undefined;

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

/** Whether a Python version (`3.9.18`) is new enough for the emulator. */
export function isSupportedPython(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= MINIMUM_MINOR);
}

function runPython(command: string, code: string): string | undefined {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
    return execFileSync(command, ['-c', code], { encoding: 'utf8', timeout: PROBE_MILLIS, stdio });
  } catch {
    return undefined;
  }
}
