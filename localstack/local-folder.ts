import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UserError } from './errors.ts';
import { REPOSITORY } from './paths.ts';

/** Says of a folder, wherever it is, that everything in it was made here. */
const MARKER = 'lineage-evidence-local';

/**
 * Refuses a folder that is not ours: ours is `.local`, what lies in it, what carries the marker, and what is missing or
 * empty. Everything that writes or removes passes here. Throws a UserError that names the folder.
 */
export function checkFolder(folder: string, repository = REPOSITORY): void {
  const isOurs = usable(
    folder,
    () =>
      isInside(realPath(folder), realPath(join(repository, '.local'))) ||
      existsSync(join(folder, MARKER)) ||
      isFree(folder),
  );
  if (!isOurs) {
    throw new UserError(
      `The folder ${folder} holds files that are not of a local environment: name another one in LOCAL_DIR, one below .local or one that is new or empty.`,
    );
  }
}

/** Makes the folder if it is missing, and marks one that was missing or empty. Throws like `checkFolder`. */
export function claimFolder(folder: string, repository = REPOSITORY): void {
  checkFolder(folder, repository);
  usable(folder, () => {
    const mark = isFree(folder);
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (mark) {
      writeFileSync(join(folder, MARKER), 'Written and removed by npm start and npm run reset.\n');
    }
  });
}

/** Node's own recursive mkdir never returns where a folder can neither be made nor be found, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    // Throws ENOTDIR for a file.
    readdirSync(folder);
    return;
  }
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** A link leads to where the files really are, so it is followed; what is missing is looked up from its parent. */
function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync.native(path);
  return join(realPath(dirname(path)), basename(path));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

function isFree(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false }) === undefined || !readdirSync(folder).length;
}

/** The system's reason is its code: the message around it names internal calls. */
function usable<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UserError(
      `The folder ${folder} cannot be used (${code}): name another one in LOCAL_DIR.`,
    );
  }
}
