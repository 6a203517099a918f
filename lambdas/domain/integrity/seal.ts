import { mapConcurrently } from '../concurrency.ts';
import { errorCode, isErrorCode, UnavailableError, UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourFolder, hourOf } from '../evidence/hour-shard.ts';
import type { ListedVersion, VersionInspector } from '../evidence/ports.ts';
import { recordFinding } from '../evidence/record-finding.ts';
import { openFinding } from '../findings.ts';
import { readWhole } from '../read-whole.ts';
import { type Digest, isSealed } from './digest.ts';
import type { VersionStreams } from './ports.ts';
import { type DigestDependencies, isConflict, settleDigest, writeDigest } from './seal-digest.ts';
import { type FoundHead, findHead } from './seal-head.ts';
import { firstVersions, type Interval, VaultListing, within } from './seal-listing.ts';
import { reportForeign, reportGone, reportIrregular } from './seal-reports.ts';
import type { StandingDigest } from './seal-standing.ts';
import { freePlace, irregularities } from './seal-strays.ts';
import { isSweepDue, Sweep } from './seal-sweep.ts';

export interface SealSettings {
  /** A whole divisor of 60. */
  readonly intervalMinutes: number;
  /** What S3 dates into an interval may show up this long after its end. */
  readonly closeAfterSeconds: number;
  /** How old a folder may be that something still lands in: a trace may be promoted when it leaves staging. */
  readonly folderDays: number;
}

export interface SealDependencies extends DigestDependencies {
  readonly inspector: VersionInspector;
  readonly settings: SealSettings;
}

export interface SealRequest {
  /** Intervals that had closed by then are sealed. */
  readonly asOfMillis: number;
  /** Looks for what no digest has although no UTC day begins. */
  readonly sweep?: boolean;
  /** Lets a sweep look back further than it would: at what was unreadable, or landed, since then. */
  readonly sweepFromMillis?: number;
  /** @default {@link MAX_DIGESTS} */
  readonly maxDigests?: number;
  /** Whether there is time for another interval. */
  readonly hasTime: () => boolean;
}

export interface SealRun {
  /** Absent when nothing is sealed yet. */
  readonly head?: StandingDigest;
  readonly digests: number;
  readonly records: number;
  readonly late: number;
  /** Heads that the anchor did not take. */
  readonly unsent: number;
  /** Findings that nobody had recorded yet: the vault is not as it should be. */
  readonly found: number;
  /** No closed interval is left. */
  readonly isCaughtUp: boolean;
}

/** Digests of one run: ten days of quarter hours; the next run goes on. */
const MAX_DIGESTS = 1_000;

/** Keys looked at for other versions, of what turned up late. */
const LISTS_AT_ONCE = 8;

/** Findings of one kind about what stands around the head, in one run: the next run finds the others there still. */
const MAX_REPORTS = 100;

/** One has a few hundred bytes. */
const MAX_FINDING_BYTES = 64 * 1024;

/** Findings that are asked for the cause of a delay: one interval rarely fails of more than one or two. */
const MAX_FINDINGS = 10;

/** A digest written more than so many intervals after its own had closed says why. */
const DELAYED_INTERVALS = 2;

/**
 * Seals every closed interval after the head of the chain, in order, empty ones too. Everything it knows it reads from
 * S3; it may end anywhere, and runs beside another sealer.
 * @throws whatever sealing an interval throws, after a `sealing_failed` finding
 */
export async function seal(request: SealRequest, dependencies: SealDependencies): Promise<SealRun> {
  return new Run(request, dependencies).execute();
}

class Run {
  readonly #request: SealRequest;
  readonly #dependencies: SealDependencies;
  readonly #listing: VaultListing;
  #sweep: Sweep | undefined;
  #head: StandingDigest | undefined;
  #ahead: FoundHead['ahead'] = new Map();
  readonly #counted = { digests: 0, records: 0, late: 0, unsent: 0, found: 0 };

  constructor(request: SealRequest, dependencies: SealDependencies) {
    this.#request = request;
    this.#dependencies = { ...dependencies, onFound: () => this.#counted.found++ };
    this.#listing = new VaultListing(dependencies.inspector, dependencies.vaultBucket);
  }

  async execute(): Promise<SealRun> {
    await this.#findHead();
    const { maxDigests = MAX_DIGESTS, hasTime } = this.#request;
    let interval = await this.#next();
    while (interval && this.#counted.digests < maxDigests && hasTime()) {
      try {
        await this.#seal(interval);
      } catch (error) {
        if (!isConflict(error) || !(await this.#isPassable(interval))) {
          await this.#failed(interval, error);
          throw error;
        }
      }
      interval = await this.#next();
    }
    return {
      ...(this.#head && { head: this.#head }),
      ...this.#counted,
      isCaughtUp: interval === undefined,
    };
  }

  /** Whether another sealer wrote the digest, or somebody put something in its place: then the chain goes on behind it. */
  async #isPassable({ from }: Interval): Promise<boolean> {
    const before = { number: this.#head?.digest.number ?? -1, key: this.#place(from).key };
    await this.#findHead();
    const isFollowed = (this.#head?.digest.number ?? -1) > before.number;
    return isFollowed || this.#place(from).key !== before.key;
  }

  #place(from: number) {
    return freePlace(new Date(from).toISOString(), this.#ahead);
  }

  async #findHead(): Promise<void> {
    const { vaultBucket } = this.#dependencies;
    const listing = this.#listing;
    const { head, ahead, failure, ...found } = await findHead(listing, {
      ...this.#dependencies,
      hasTime: this.#request.hasTime,
    });
    this.#ahead = ahead;
    await reportForeign(found.foreign, listing, this.#dependencies, MAX_REPORTS);
    await reportIrregular(found.irregular, listing, this.#dependencies, MAX_REPORTS);
    await reportGone(found.gone, vaultBucket, listing, this.#dependencies);
    if (failure) {
      this.#head = head;
      const interval = head && (await this.#next());
      if (interval) await this.#failed(interval, failure);
      throw failure;
    }
    if (!head) return;
    if (!head.isSettled) await this.#settle(head);
    this.#head = head;
  }

  /** The interval after the head, if it has closed. Intervals end on whole multiples of their length. */
  async #next(): Promise<Interval | undefined> {
    const { intervalMinutes, closeAfterSeconds } = this.#dependencies.settings;
    const length = intervalMinutes * 60_000;
    const closedAt = this.#request.asOfMillis - closeAfterSeconds * 1_000;
    const from = this.#head
      ? Date.parse(this.#head.digest.to)
      : await this.#beginning(length, closedAt);
    const to = (Math.floor(from / length) + 1) * length;
    return to <= closedAt ? { from, to } : undefined;
  }

  /** The interval of the first object; the last that has closed when there is none, for an empty vault is sealed as well. */
  async #beginning(length: number, closedAt: number): Promise<number> {
    const first = await this.#listing.beginning();
    return Math.floor((first ?? closedAt - length) / length) * length;
  }

  async #seal(interval: Interval): Promise<void> {
    const near = await this.#listing.near(interval);
    const members = near.filter(
      (version) => !version.deleteMarker && isSealed(version.key) && within(interval, version),
    );
    await reportIrregular(irregularities(near, interval), this.#listing, this.#dependencies);
    const late = await this.#late(interval);
    const delayed = await this.#delay(interval);
    const { standing, leaves } = await writeDigest(
      {
        ...this.#place(interval.from),
        ...{ interval, previous: this.#head, members, ...late },
        ...(delayed && { delayed }),
      },
      this.#dependencies,
    );
    await this.#settle(standing, leaves);
    this.#head = standing;
    const { objects, records } = standing.digest;
    this.#sweep?.add(objects);
    this.#counted.digests++;
    this.#counted.records += records;
    this.#counted.late += objects.filter((object) => object.late).length;
  }

  async #settle(digest: StandingDigest, leaves?: Uint8Array): Promise<void> {
    const isSent = await settleDigest(digest, this.#listing, this.#dependencies, leaves);
    if (!isSent) this.#counted.unsent++;
  }

  async #late({ from }: Interval) {
    const isAsked = this.#request.sweep === true && this.#counted.digests === 0;
    if (!isAsked && !isSweepDue(from, this.#head?.digest)) return { late: [], unread: [] };
    const { folderDays } = this.#dependencies.settings;
    const listing = this.#listing;
    if (!this.#sweep) {
      const { asOfMillis, sweepFromMillis = from } = this.#request;
      const interval = { from: Math.min(from, sweepFromMillis), to: asOfMillis };
      const readers = { listing, ...this.#dependencies };
      this.#sweep = await Sweep.load(interval, this.#head, folderDays, readers);
      const { vaultBucket } = this.#dependencies;
      await reportForeign(this.#sweep.foreign, listing, this.#dependencies);
      await reportGone(this.#sweep.gone, vaultBucket, listing, this.#dependencies);
    }
    const late = this.#sweep.missing(from);
    const ofKeys = await mapConcurrently(late, LISTS_AT_ONCE, ({ key }) => listing.all(key));
    const suspects = [...ofKeys.flat(), ...this.#sweep.markers];
    await reportIrregular(irregularities(suspects), listing, this.#dependencies);
    return { late, unread: this.#sweep.unread };
  }

  /** A failure of this interval that was reported, else that of the ones before it; `not_run` when nothing tried. */
  async #delay({ from, to }: Interval): Promise<Digest['delayed']> {
    const { clock, settings, streams } = this.#dependencies;
    const seconds = Math.floor((clock() - to) / 1_000) - settings.closeAfterSeconds;
    if (seconds <= DELAYED_INTERVALS * settings.intervalMinutes * 60) return undefined;
    const finding = failureOf({ from, to }, '');
    const prefix = `${EvidencePrefix.findings}${hourFolder(hourOf(to))}${finding.id}-`;
    const reported = firstVersions(await this.#listing.all(prefix));
    if (reported.length > 0) return { seconds, cause: await causeIn(reported, streams) };
    if (!this.#head) return { seconds, cause: 'first_digest' };
    return { seconds, cause: this.#head.digest.delayed ? 'catching_up' : 'not_run' };
  }

  /** What passes is tried again within a minute or so, and is worth a finding only when it did not pass. */
  async #failed(interval: Interval, error: unknown): Promise<void> {
    const { clock, settings } = this.#dependencies;
    const isOverdue = clock() - interval.to > DELAYED_INTERVALS * settings.intervalMinutes * 60_000;
    if (error instanceof UnavailableError && !isOverdue) return;
    // Where the finding cannot be written either, the error itself is what is left.
    await recordFinding(failureOf(interval, errorCode(error)), this.#dependencies).catch(() => {});
  }
}

/** By the first finding that says it; `unknown` where what stands there is none of ours. */
async function causeIn(
  findings: readonly ListedVersion[],
  streams: VersionStreams,
): Promise<string> {
  for (const finding of findings.slice(0, MAX_FINDINGS)) {
    try {
      const bytes = await readWhole((await streams.open(finding)).body, MAX_FINDING_BYTES);
      const { code } = JSON.parse(String(bytes)).detail;
      if (isErrorCode(code)) return code;
    } catch (error) {
      const isForeign = error instanceof SyntaxError || error instanceof TypeError;
      if (!isForeign && !(error instanceof UnreadableRecordError)) throw error;
    }
  }
  return 'unknown';
}

function failureOf({ from, to }: Interval, code: string) {
  return openFinding('sealing_failed', {
    plane: 'store',
    subject: `seal/${new Date(from).toISOString()}`,
    at: new Date(to).toISOString(),
    runKeys: [],
    detail: { code },
  });
}
