import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { ListedObject, OpenedObject } from '../../lambdas/domain/integrity/verify-store.ts';
import { sha256Hex } from '../../lambdas/domain/store-key.ts';
import { CliError, ExitCode } from './cli.ts';

/** At the top of a copy: what S3 said of each version, one JSON object a line. */
export const VERSIONS_FILE = 'versions.ndjson';

/** A key has at most 1,024 bytes, a version id as many. */
const MAX_LINE_BYTES = 16 * 1024;
const CHUNK_BYTES = 256 * 1024;
const NAME_HEX_DIGITS = 13;

/** A line of the list: `{key, versionId, lastModified, bytes, mode?, retainUntil?}`. */
interface ListedVersion extends ListedObject {
  readonly versionId: string;
  readonly bytes?: number;
  readonly lock: OpenedObject['lock'];
}

/**
 * The list of versions of a copy. In memory are places only, about 50 bytes a line: the lines are read when they are asked for.
 */
export class VersionsList {
  readonly #file: number;
  /** Where the lines of a key begin, by a hash of the key. */
  readonly #places = new Map<number, number | number[]>();

  private constructor(file: number) {
    this.#file = file;
  }

  /**
   * Undefined when there is no such file.
   * @throws CliError (3) when a line of it is no version, or there is none
   */
  static open(path: string): VersionsList | undefined {
    if (!existsSync(path)) return undefined;
    const list = new VersionsList(openSync(path, 'r'));
    let number = 0;
    for (const { place, line } of list.#lines()) {
      number++;
      const version = readLine(line);
      if (!version) {
        list.close();
        const sentence = `Line ${number} of ${VERSIONS_FILE} is no version of an object.`;
        throw new CliError(ExitCode.cannotLook, sentence);
      }
      list.#note(nameOf(version.key), place);
    }
    if (number > 0) return list;
    // A list that could not be made must not make everything missing.
    list.close();
    throw new CliError(
      ExitCode.cannotLook,
      `${VERSIONS_FILE} lists no version: make it anew, or remove it.`,
    );
  }

  find(key: string, versionId?: string): ListedVersion | undefined {
    const versions = this.ofKey(key);
    return versionId === undefined
      ? versions[0]
      : versions.find((version) => version.versionId === versionId);
  }

  /** The newest first. */
  ofKey(key: string): ListedVersion[] {
    const versions: ListedVersion[] = [];
    for (const place of [this.#places.get(nameOf(key)) ?? []].flat()) {
      const buffer = Buffer.allocUnsafe(MAX_LINE_BYTES);
      const bytes = buffer.subarray(0, readSync(this.#file, buffer, 0, MAX_LINE_BYTES, place));
      const end = bytes.indexOf('\n');
      const version = readLine(end === -1 ? bytes : bytes.subarray(0, end));
      if (version?.key === key) versions.push(version);
    }
    return versions.sort((a, b) => Date.parse(b.lastModified) - Date.parse(a.lastModified));
  }

  *all(): Generator<ListedVersion> {
    for (const { line } of this.#lines()) {
      const version = readLine(line);
      if (version) yield version;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #note(name: number, place: number): void {
    const before = this.#places.get(name);
    if (before === undefined) this.#places.set(name, place);
    else if (typeof before === 'number') this.#places.set(name, [before, place]);
    else before.push(place);
  }

  /** Lines with the position of their first byte; empty ones are left out. */
  *#lines(): Generator<{ place: number; line: Buffer }> {
    let rest = Buffer.alloc(0);
    let place = 0;
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytesRead = readSync(this.#file, chunk, 0, CHUNK_BYTES, at);
      at += bytesRead;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
        if (end > start) yield { place: place + start, line: rest.subarray(start, end) };
        start = end + 1;
      }
      rest = rest.subarray(start);
      place += start;
      if (bytesRead === 0 || rest.length > MAX_LINE_BYTES) break;
    }
    if (rest.length > 0) yield { place, line: rest };
  }
}

/** 52 bits: what a number holds exactly. Two keys that share one are told apart by their lines. */
function nameOf(key: string): number {
  return Number.parseInt(sha256Hex(key).slice(0, NAME_HEX_DIGITS), 16);
}

function readLine(line: Buffer): ListedVersion | undefined {
  try {
    if (line.length > MAX_LINE_BYTES) return undefined;
    const value = JSON.parse(line.toString()) as Record<string, unknown>;
    const { key, versionId, lastModified, mode, retainUntil } = value;
    const size = Number.isSafeInteger(value.bytes) ? { bytes: value.bytes as number } : {};
    if (typeof key !== 'string' || typeof versionId !== 'string') return undefined;
    if (!isInstant(lastModified)) return undefined;
    const isUnlocked = mode === undefined && retainUntil === undefined;
    if (isUnlocked) return { key, versionId, lastModified, ...size, lock: 'none' };
    if (mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE') return undefined;
    if (!isInstant(retainUntil)) return undefined;
    return { key, versionId, lastModified, ...size, lock: { mode, retainUntil } };
  } catch {
    return undefined;
  }
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
