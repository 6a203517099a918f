import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from './errors.ts';
import { readJson } from './json-file.ts';
import { waitUntil } from './process.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

/** Takes a lock file, waiting for a living holder. Returns the release. Throws a UserError after the limit. */
export async function takeLock(path: string, limitMillis: number): Promise<() => void> {
  if (!(await waitUntil(() => tryLock(path), limitMillis, 100))) {
    throw new UserError(
      `Another command has been working on ${path.replace(/\.lock$/, '')} for too long: wait for it or end it, then run the command again.`,
    );
  }
  return releaseOf(path);
}

/** Takes a lock file if no living process holds it. Returns the release; undefined when it is held. */
export function holdLock(path: string): (() => void) | undefined {
  return tryLock(path) ? releaseOf(path) : undefined;
}

/** Takes a lock file if no living process holds it, for the life of this process or longer. */
export function tryLock(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  if (create(path)) return true;
  const holder = readHolder(path);
  if (holder === undefined || isRunning(holder)) return false;
  return removeStale(path, holder) && create(path);
}

/** Who holds a lock; undefined when nobody does. */
export function readHolder(path: string): ProcessIdentity | undefined {
  return readJson<ProcessIdentity>(path);
}

/** Who holds a lock and still runs. */
export function livingHolder(path: string): ProcessIdentity | undefined {
  const holder = readHolder(path);
  return holder !== undefined && isRunning(holder) ? holder : undefined;
}

/** Also releases when this process is ended half-way, by Ctrl-C. */
function releaseOf(path: string): () => void {
  const remove = () => rmSync(path, { force: true });
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
    remove();
  };
}

/** Renames the dead holder's lock away; a lock that another finder took meanwhile is put back. */
function removeStale(path: string, dead: ProcessIdentity): boolean {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    const taken = readHolder(aside);
    const isStale = taken?.pid === dead.pid && taken.startedAt === dead.startedAt;
    if (!isStale) linkSync(aside, path);
    rmSync(aside, { force: true });
    return isStale;
  } catch {
    return false;
  }
}

/** A hard link appears whole or not at all, so a lock is never seen without its holder. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}.draft`;
  try {
    writeFileSync(draft, JSON.stringify(identify(process.pid)), { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
