import { LineageError, UnreadableRecordError } from '../../../lambdas/domain/errors.ts';
import type { ObjectVersion } from '../../../lambdas/domain/evidence/ports.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import type { Hold, HoldCover } from '../../../lambdas/domain/holds/hold.ts';
import type { HoldIndex, LegalHolds } from '../../../lambdas/domain/holds/ports.ts';
import { Faults, type InMemoryVault } from './bucket.ts';

/** Hold rows as maps. Every call yields once first, so that callers which run at once do interleave. */
export class InMemoryHoldIndex implements HoldIndex {
  readonly faults = new Faults();
  readonly rows = new Map<string, Hold>();
  readonly coverRows = new Map<string, HoldCover & { readonly subject: string }>();

  async put(hold: Hold): Promise<void> {
    await this.#enter('put');
    if ((this.rows.get(hold.id)?.number ?? 0) < hold.number) this.rows.set(hold.id, hold);
  }

  async ofRun(runKey: string): Promise<Hold[]> {
    await this.#enter('ofRun');
    return [...this.rows.values()].filter((hold) => hold.runKey === runKey);
  }

  async list(limit: number, after = ''): Promise<{ holds: Hold[]; next?: string }> {
    await this.#enter('list');
    const behind = [...this.rows.values()]
      .filter(({ id }) => id > after)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const holds = behind.slice(0, limit);
    const last = holds.at(-1);
    return { holds, ...(last && behind.length > limit && { next: last.id }) };
  }

  async hasAny(): Promise<boolean> {
    await this.#enter('hasAny');
    return this.rows.size > 0;
  }

  async putCover(subject: string, cover: HoldCover): Promise<void> {
    await this.#enter('putCover');
    const key = JSON.stringify([subject, cover.holdId]);
    if ((this.coverRows.get(key)?.number ?? 0) < cover.number) {
      this.coverRows.set(key, { ...cover, subject });
    }
  }

  async covers(subject: string): Promise<HoldCover[]> {
    await this.#enter('covers');
    return [...this.coverRows.values()]
      .filter((cover) => cover.subject === subject)
      .map(({ subject: _subject, ...cover }) => cover);
  }

  async #enter(method: string): Promise<void> {
    await Promise.resolve();
    this.faults.enter(method);
  }
}

/** Sets the bits of versions of a vault in memory. */
export class InMemoryLegalHolds implements LegalHolds {
  readonly faults = new Faults();
  /** Keys that S3 refuses for good. */
  readonly refused = new Set<string>();
  readonly #vault: InMemoryVault;

  constructor(vault: InMemoryVault) {
    this.#vault = vault;
  }

  async set(version: ObjectVersion, on: boolean): Promise<void> {
    await Promise.resolve();
    this.faults.enter('set');
    if (this.refused.has(version.key)) throw new LineageError('access_denied', 'refused');
    const { held, versions } = this.#vault;
    const name = versionName(version);
    if (!versions.some((stored) => versionName(stored) === name)) {
      throw new UnreadableRecordError('object_version_missing');
    }
    if (on) held.add(name);
    else held.delete(name);
  }
}

/** The ports of legal holds over a vault in memory. */
export function holdPorts(vault: InMemoryVault) {
  return { holds: new InMemoryHoldIndex(), legalHolds: new InMemoryLegalHolds(vault) };
}
