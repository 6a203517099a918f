import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that can be found again: ids are reused, so the start time belongs to the name. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Identity of a running process; undefined when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? linuxStart(pid) : portableStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether exactly this process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** State and start time stand behind the last parenthesis of /proc/PID/stat (the name may hold spaces), fields 3 and 22. */
function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Where nothing reaps (a container without init) a dead process stays as Z.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${bootId()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Start times count from boot, so a reboot must not make an old record look alive. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
}

function portableStart(pid: number): string | undefined {
  try {
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const;
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}
