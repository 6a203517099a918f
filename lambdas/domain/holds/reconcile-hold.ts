import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import type { Clock, EvidenceVault, ObjectReader, ObjectVersion } from '../evidence/ports.ts';
import { lockFor, type RetentionPolicy } from '../evidence/retention.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import type { DigestSearch } from '../integrity/sealing-digests.ts';
import { sha256Hex } from '../store-key.ts';
import { type CoverDependencies, coverVersion } from './cover.ts';
import { evidenceOf } from './evidence-of.ts';
import { coverOf, type Hold, holdKey, outcomeKey, setStepOf } from './hold.ts';

export interface ReconcileHoldDependencies extends CoverDependencies {
  readonly index: RunIndex;
  readonly vault: Pick<EvidenceVault, 'findDocument' | 'putDocument'>;
  readonly reader: ObjectReader;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
}

type Named = Pick<ObjectVersion, 'key' | 'versionId'>;

/** What came of a step of a hold, version by version. */
export interface HoldOutcome {
  readonly hold: Hold;
  /** `partial` when something failed or was not got to: the same request again, or the schedule, goes on. */
  readonly status: 'complete' | 'partial';
  /** The bit is on, by these references. */
  readonly held: ReadonlyArray<Named & { readonly by: readonly string[] }>;
  /** The bit is off; deletable from `at` on. */
  readonly free: ReadonlyArray<Named & { readonly at: string }>;
  readonly missing: readonly Named[];
  readonly failed: ReadonlyArray<Named & { readonly code: string }>;
  /** Versions that no digest lists yet. */
  readonly unsealed: number;
  /** Versions that there was no time for. */
  readonly pending: number;
}

/** S3 calls in flight: the socket pool of the SDK holds 50, and each version takes up to three at once. */
const CONCURRENT_VERSIONS = 12;

/** Versions named in the record of an outcome, of each kind; the counts are of all. */
const MAX_RECORDED = 1_000;

/**
 * Makes the bits of everything that a hold is on say how it stands: its own document, events and traces of the run,
 * and the digests that seal them; active or released, as often as one likes. Files what came of it; the same again is the same document.
 * Each run begins at another version, so that what there was no time for has its turn.
 * @param hasTime false when no further version may be begun
 */
export async function reconcileHold(
  hold: Hold,
  digests: DigestSearch,
  hasTime: () => boolean,
  dependencies: ReconcileHoldDependencies,
): Promise<HoldOutcome> {
  const settled = new Settled(hold, hasTime, dependencies);
  const own = await ownDocument(hold, settled, dependencies);
  const evidence = await evidenceOf(hold, dependencies);
  const begin = evidence.length === 0 ? 0 : dependencies.clock() % evidence.length;
  const turned = [...evidence.slice(begin), ...evidence.slice(0, begin)];
  const landed = await settled.settleAll([...own, ...turned]);

  const isEvidence = new Set(evidence.map(versionName));
  const sealable = landed.filter(({ version }) => isEvidence.has(versionName(version)));
  const sealing = await digestsOf(sealable, digests, hasTime, settled);
  await settled.settleAll(sealing.versions);

  const outcome = settled.outcome(sealing.unsealed);
  await recordOutcome(outcome, dependencies);
  return outcome;
}

/** A version that is there, and when it landed. */
interface Landed {
  readonly version: ObjectVersion;
  readonly lastModified: string;
}

/** Settles versions, each once, and keeps what came of each. */
class Settled {
  readonly #hold: Hold;
  readonly #hasTime: () => boolean;
  readonly #dependencies: ReconcileHoldDependencies;
  readonly #seen = new Set<string>();
  readonly #held: Array<HoldOutcome['held'][number]> = [];
  readonly #free: Array<HoldOutcome['free'][number]> = [];
  readonly #missing: Named[] = [];
  readonly #failed: Array<HoldOutcome['failed'][number]> = [];
  #pending = 0;

  constructor(hold: Hold, hasTime: () => boolean, dependencies: ReconcileHoldDependencies) {
    this.#hold = hold;
    this.#hasTime = hasTime;
    this.#dependencies = dependencies;
  }

  /** @returns those that are there */
  async settleAll(versions: readonly ObjectVersion[]): Promise<Landed[]> {
    const fresh = versions.filter((version) => !this.#seen.has(versionName(version)));
    for (const version of fresh) this.#seen.add(versionName(version));
    const landed = await mapConcurrently(fresh, CONCURRENT_VERSIONS, (version) =>
      this.#one(version),
    );
    return landed.flatMap((found) => found ?? []);
  }

  postpone(): void {
    this.#pending++;
  }

  fail({ key, versionId }: Named, error: unknown): void {
    this.#failed.push({ key, versionId, code: errorCode(error) });
  }

  outcome(unsealed: number): HoldOutcome {
    const isPartial = this.#failed.length + this.#pending > 0;
    return {
      hold: this.#hold,
      status: isPartial ? 'partial' : 'complete',
      held: this.#held.sort(byName),
      free: this.#free.sort(byName),
      missing: this.#missing.sort(byName),
      failed: this.#failed.sort(byName),
      unsealed,
      pending: this.#pending,
    };
  }

  async #one(version: ObjectVersion): Promise<Landed | undefined> {
    if (!this.#hasTime()) {
      this.postpone();
      return undefined;
    }
    const { key, versionId } = version;
    try {
      const found = await coverVersion(version, coverOf(this.#hold), this.#dependencies);
      if (found.status === 'missing') {
        this.#missing.push({ key, versionId });
        return undefined;
      }
      if (found.heldBy.length > 0) this.#held.push({ key, versionId, by: found.heldBy });
      else this.#free.push({ key, versionId, at: this.#deletableAt(found.retainUntil) });
      return { version, lastModified: found.lastModified };
    } catch (error) {
      this.fail(version, error);
      return undefined;
    }
  }

  /** When its lock ends, or now when that is over or it has none. */
  #deletableAt(retainUntil = ''): string {
    const now = new Date(this.#dependencies.clock()).toISOString();
    return retainUntil > now ? retainUntil : now;
  }
}

const byName = (a: Named, b: Named) =>
  a.key < b.key || (a.key === b.key && a.versionId < b.versionId) ? -1 : 1;

/** The document that set the hold is kept by it, too; where another covers it, the evidence is held all the same. */
async function ownDocument(
  hold: Hold,
  settled: Settled,
  { vault }: ReconcileHoldDependencies,
): Promise<ObjectVersion[]> {
  const set = setStepOf(hold);
  const key = holdKey(set.id, set.number);
  try {
    const standing = await vault.findDocument(key, set);
    return standing ? [standing] : [];
  } catch (error) {
    settled.fail({ key, versionId: 'unknown' }, error);
    return [];
  }
}

/** One after the other in the order of landing, so that each digest is read once. */
async function digestsOf(
  landed: readonly Landed[],
  digests: DigestSearch,
  hasTime: () => boolean,
  settled: Settled,
): Promise<{ readonly versions: readonly ObjectVersion[]; readonly unsealed: number }> {
  const versions = new Map<string, ObjectVersion>();
  let unsealed = 0;
  const inOrder = landed.toSorted((a, b) => (a.lastModified < b.lastModified ? -1 : 1));
  for (const { version, lastModified } of inOrder) {
    if (!hasTime()) {
      settled.postpone();
      continue;
    }
    try {
      const sealing = await digests.sealing(version, lastModified);
      if (sealing.length === 0) unsealed++;
      for (const found of sealing) versions.set(versionName(found), found);
    } catch (error) {
      settled.fail(version, error);
    }
  }
  return { versions: [...versions.values()], unsealed };
}

async function recordOutcome(
  { hold, held, free, missing, failed, ...outcome }: HoldOutcome,
  { clock, retention, vault }: ReconcileHoldDependencies,
): Promise<void> {
  const record = {
    holdOutcome: 1,
    ...{ id: hold.id, number: hold.number },
    ...outcome,
    ...{ held: held.length, free: free.length, missing: missing.length, failed: failed.length },
    missingVersions: missing.slice(0, MAX_RECORDED),
    failedVersions: failed.slice(0, MAX_RECORDED),
  };
  const now = clock();
  const lock = lockFor(retention, retention.recordDays, now, now);
  await vault.putDocument(outcomeKey(hold, sha256Hex(JSON.stringify(record))), record, lock);
}
