import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  ListedContent,
  ListedObject,
  OpenedObject,
  SealedStore,
} from '../../lambdas/domain/integrity/verify-store.ts';
import { CliError, ExitCode } from './cli.ts';
import { VERSIONS_FILE, VersionsList } from './verify-versions.ts';

const CHUNK_BYTES = 256 * 1024;
/** What a name that no file can have, or that leads to no file, ends with. */
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/**
 * A folder that mirrors a vault, as `aws s3 sync` makes it: the path of a file is its key, its time is that of the object.
 * Symbolic links are never followed, and nothing outside the folder is opened, whatever the digests name.
 * Files are read synchronously: they are small and many, and a promise for each costs more than its bytes.
 */
export class DirectoryStore implements SealedStore {
  readonly #root: string;
  readonly #versions: VersionsList | undefined;
  /** The folder that was last found to be the copy's own: the next object mostly lies beside. */
  #ownFolder: string | undefined;

  private constructor(root: string, versions: VersionsList | undefined) {
    this.#root = root;
    this.#versions = versions;
  }

  /** @throws CliError (3) when it is no folder, or its list of versions is none */
  static open(folder: string): DirectoryStore {
    const root = ifThere(() => realpathSync.native(folder));
    if (root === undefined || !lstatSync(root).isDirectory()) {
      throw new CliError(ExitCode.cannotLook, `${folder} is no folder.`);
    }
    return new DirectoryStore(root, VersionsList.open(join(root, VERSIONS_FILE)));
  }

  get knowsVersions(): boolean {
    return this.#versions !== undefined;
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    if (prefix === '' || !this.#versions) {
      yield* this.#listFolder(prefix);
      yield* this.#withoutFile('');
      return;
    }
    // Of the chain the order counts.
    const gone = [...this.#withoutFile(prefix)].sort((a, b) => (a.key < b.key ? 1 : -1));
    for (const listed of this.#listFolder(prefix)) {
      for (let next = gone.at(-1); next && next.key < listed.key; next = gone.at(-1)) {
        yield next;
        gone.pop();
      }
      yield listed;
    }
    yield* gone.reverse();
  }

  /** What is listed and has no file must be seen as well. */
  *#withoutFile(prefix: string): Generator<ListedObject> {
    for (const version of this.#versions?.all() ?? []) {
      if (version.key.startsWith(prefix) && !this.#find(version.key)) yield version;
    }
  }

  async open(key: string, versionId?: string): Promise<OpenedObject | undefined> {
    const version = this.#versions?.find(key, versionId);
    if (this.#versions && !version) return undefined;
    const file = this.#find(key);
    return file && { chunks: chunksOf(file), lock: version ? version.lock : 'unknown' };
  }

  /** What could not be opened could not be copied either: a list of versions has it, and there need be no file. */
  async find(key: string, versionId: string): Promise<ListedContent | undefined> {
    const version = this.#versions?.find(key, versionId);
    if (!this.#versions) {
      const file = this.#find(key);
      return file && { bytes: file.bytes };
    }
    return version && { ...(version.bytes !== undefined && { bytes: version.bytes }) };
  }

  close(): void {
    this.#versions?.close();
  }

  *#listFolder(folder: string): Generator<ListedObject> {
    const path = join(this.#root, folder);
    const entries = ifThere(() => readdirSync(path, { withFileTypes: true })) ?? [];
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const key = folder + entry.name;
      if (key === VERSIONS_FILE) continue;
      if (entry.isDirectory()) yield* this.#listFolder(`${key}/`);
      else yield* this.#listFile(key);
    }
  }

  *#listFile(key: string): Generator<ListedObject> {
    const versions = this.#versions?.ofKey(key) ?? [];
    yield* versions;
    if (versions.length > 0) return;
    const stats = ifThere(() => lstatSync(join(this.#root, key)));
    if (stats) yield { key, lastModified: stats.mtime.toISOString() };
  }

  /** The file of a key; undefined when there is none, or not within the folder itself. */
  #find(key: string): { readonly path: string; readonly bytes: number } | undefined {
    const path = join(this.#root, key);
    if (path !== `${this.#root}/${key}`) return undefined;
    const folder = dirname(path);
    if (folder !== this.#ownFolder) {
      if (ifThere(() => realpathSync.native(folder)) !== folder) return undefined;
      this.#ownFolder = folder;
    }
    const stats = ifThere(() => lstatSync(path));
    return stats?.isFile() ? { path, bytes: stats.size } : undefined;
  }
}

/** Undefined for what is not there; what may not be read is never taken for absent. */
function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_FILE.has(error.code as string)) {
      return undefined;
    }
    throw new CliError(ExitCode.cannotLook, 'A file or folder of the copy cannot be read.');
  }
}

async function* chunksOf({ path, bytes }: { path: string; bytes: number }) {
  const file = ifThere(() => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (file === undefined) return;
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(bytes + 1, CHUNK_BYTES));
      const read = readSync(file, chunk);
      if (read === 0) return;
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}
