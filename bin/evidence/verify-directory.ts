import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type {
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
 */
export class DirectoryStore implements SealedStore {
  readonly #root: string;
  readonly #versions: VersionsList | undefined;

  private constructor(root: string, versions: VersionsList | undefined) {
    this.#root = root;
    this.#versions = versions;
  }

  /** @throws CliError (3) when it is no folder, or its list of versions is none */
  static async open(folder: string): Promise<DirectoryStore> {
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined || !(await lstat(root)).isDirectory()) {
      throw new CliError(ExitCode.cannotLook, `${folder} is no folder that can be read.`);
    }
    return new DirectoryStore(root, await VersionsList.open(join(root, VERSIONS_FILE)));
  }

  get knowsVersions(): boolean {
    return this.#versions !== undefined;
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    yield* this.#listFolder(prefix);
    // Listed versions whose file is not there are seen as well.
    if (prefix !== '' || !this.#versions) return;
    for await (const version of this.#versions.all()) {
      if (!(await this.#find(version.key))) yield version;
    }
  }

  async open(key: string, versionId?: string): Promise<OpenedObject | undefined> {
    const version = await this.#versions?.find(key, versionId);
    if (this.#versions && !version) return undefined;
    const path = await this.#find(key);
    if (path === undefined) return undefined;
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await ifThere(() => open(path, flags));
    return file && { chunks: chunksOf(file), lock: version ? version.lock : 'unknown' };
  }

  async *#listFolder(folder: string): AsyncGenerator<ListedObject> {
    const path = join(this.#root, folder);
    const entries = (await ifThere(() => readdir(path, { withFileTypes: true }))) ?? [];
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const key = folder + entry.name;
      if (key === VERSIONS_FILE) continue;
      if (entry.isDirectory()) yield* this.#listFolder(`${key}/`);
      else yield* this.#listFile(key);
    }
  }

  async *#listFile(key: string): AsyncGenerator<ListedObject> {
    const versions = (await this.#versions?.ofKey(key)) ?? [];
    yield* versions;
    if (versions.length > 0) return;
    const stats = await ifThere(() => lstat(join(this.#root, key)));
    if (stats) yield { key, lastModified: stats.mtime.toISOString() };
  }

  /** The path of a key's file; undefined when there is none, or not within the folder itself. */
  async #find(key: string): Promise<string | undefined> {
    const path = join(this.#root, key);
    const isOwn = path === `${this.#root}/${key}` && (await ifThere(() => realpath(path))) === path;
    const stats = isOwn ? await ifThere(() => lstat(path)) : undefined;
    return stats?.isFile() ? path : undefined;
  }
}

/** Undefined for what is not there; what may not be read is never taken for absent. */
async function ifThere<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_FILE.has(String(error.code)))
      return undefined;
    throw new CliError(ExitCode.cannotLook, 'A file or folder of the copy cannot be read.');
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafe(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
