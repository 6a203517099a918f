import { groupBy } from '../collections.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { HOUR_MILLIS, hourFolder, hourOf, hoursBetween } from '../evidence/hour-shard.ts';
import type { ListedVersion, VersionInspector } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';

/** Instants in milliseconds, half-open. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Our clock files objects and that of S3 dates them: the folder of an hour that one of them has not begun is looked at too. */
const CLOCK_LEAD_MILLIS = 300_000;
/** What is archived within an hour of its acceptance, which is all but backlogs and promotions: the sweep finds those. */
const BACKLOG_MILLIS = HOUR_MILLIS;
/** A report lies under the day of its interval's end, which the schedules put at most 26 hours back. */
const REPORT_BACKLOG_MILLIS = 26 * HOUR_MILLIS;

/** Folders below which every hour has its own. */
const HOURLY = [EvidencePrefix.quarantine, EvidencePrefix.findings] as const;
/** Folders of class folders, each of which has one for each hour. */
const BY_CLASS = [EvidencePrefix.lineage, EvidencePrefix.traces] as const;
/** Small registers that no date cuts up: listed whole. */
const UNDATED = [
  EvidencePrefix.producers,
  EvidencePrefix.policies,
  EvidencePrefix.keys,
  EvidencePrefix.holds,
  EvidencePrefix.erasures,
  EvidencePrefix.publicKeys,
] as const;

const DAY_FOLDER = /^dt=\d{4}-\d\d-\d\d\/$/;
/** Each is a finding of its own: more of them are no news. */
const MAX_BESIDE_DAYS = 1_000;

/** Folders kept in memory: several times what one interval looks at; a folder that was dropped is listed again. */
const MAX_CACHED_FOLDERS = 256;

/** What lies in the vault, by S3 and nobody else. A folder is listed once, which serves every interval closed before. */
export class VaultListing {
  readonly #inspector: VersionInspector;
  readonly #bucket: string;
  readonly #listed = new Map<string, Promise<readonly ListedVersion[]>>();
  readonly #folders = new Map<string, Promise<readonly string[]>>();

  constructor(inspector: VersionInspector, bucket: string) {
    this.#inspector = inspector;
    this.#bucket = bucket;
  }

  /** What landed in an interval, and other versions of the same keys; where things that land in it are filed. */
  async near({ from, to }: Interval): Promise<ListedVersion[]> {
    const hours = hoursBetween(from - BACKLOG_MILLIS, to + CLOCK_LEAD_MILLIS).map(hourFolder);
    const days = daysBetween(from - REPORT_BACKLOG_MILLIS, to + CLOCK_LEAD_MILLIS);
    const classes = await this.#below(BY_CLASS);
    const kinds = await this.#below([EvidencePrefix.reports]);
    const prefixes = [
      ...[...classes, ...HOURLY].flatMap((folder) => hours.map((hour) => folder + hour)),
      ...kinds.flatMap((folder) => days.map((day) => folder + day)),
      ...UNDATED,
    ];
    const found: ListedVersion[] = [];
    for (const prefix of prefixes) {
      for (const version of await this.#list(prefix)) found.push(version);
    }
    return found;
  }

  /**
   * What landed within an interval, wherever it was filed: evidence that its archive or a promotion put into a folder
   * of up to so many days before, and everything else of any age.
   */
  async landed({ from, to }: Interval, folderDays: number): Promise<ListedVersion[]> {
    const days = daysBetween(from - folderDays * DAY_MILLIS, to + DAY_MILLIS);
    const dated = [...(await this.#below(BY_CLASS)), EvidencePrefix.quarantine];
    const prefixes = [
      ...dated.flatMap((folder) => days.map((day) => folder + day)),
      ...[EvidencePrefix.findings, EvidencePrefix.reports, ...UNDATED],
    ];
    const found: ListedVersion[] = [];
    for (const prefix of prefixes) {
      for await (const version of this.#inspector.list(this.#bucket, prefix)) {
        if (within({ from, to }, version)) found.push(version);
      }
    }
    return found;
  }

  /** When the first object landed, by the oldest folder of each kind; undefined in an empty vault. */
  async beginning(): Promise<number | undefined> {
    const dated = [...(await this.#below([...BY_CLASS, EvidencePrefix.reports])), ...HOURLY];
    const oldest = await Promise.all(dated.map(async (folder) => (await this.folders(folder))[0]));
    let first = Number.POSITIVE_INFINITY;
    for (const prefix of [...oldest, ...UNDATED]) {
      if (prefix === undefined) continue;
      for (const { lastModified } of await this.#list(prefix)) {
        first = Math.min(first, Date.parse(lastModified));
      }
    }
    return Number.isFinite(first) ? first : undefined;
  }

  /** Folders directly below one, in order, read now. */
  async folders(prefix: string): Promise<string[]> {
    return (await this.#inspector.folders(this.#bucket, prefix)).toSorted();
  }

  async #below(prefixes: readonly string[]): Promise<string[]> {
    const below = prefixes.map((prefix) => {
      const folders = this.#folders.get(prefix) ?? this.folders(prefix);
      this.#folders.set(prefix, folders);
      return folders;
    });
    return (await Promise.all(below)).flat();
  }

  #list(prefix: string): Promise<readonly ListedVersion[]> {
    const known = this.#listed.get(prefix);
    this.#listed.delete(prefix);
    const listed = known ?? this.all(prefix);
    this.#listed.set(prefix, listed);
    const [oldest] = this.#listed.keys();
    if (this.#listed.size > MAX_CACHED_FOLDERS) this.#listed.delete(oldest as string);
    return listed;
  }

  /** What lies below a prefix in no folder of a day, read now, as much as anybody needs to be told of. */
  async besideDays(prefix: string): Promise<ListedVersion[]> {
    const isDay = (folder: string) => DAY_FOLDER.test(folder.slice(prefix.length));
    const folders = (await this.folders(prefix)).filter((folder) => !isDay(folder));
    const lists = [
      this.#inspector.files(this.#bucket, prefix),
      ...folders.map((folder) => this.#inspector.list(this.#bucket, folder)),
    ];
    const found: ListedVersion[] = [];
    for (const list of lists) {
      for await (const version of list) {
        if (found.push(version) === MAX_BESIDE_DAYS) return found;
      }
    }
    return found;
  }

  /** Everything below a prefix, read now. */
  async all(prefix: string): Promise<ListedVersion[]> {
    const found: ListedVersion[] = [];
    for await (const version of this.#inspector.list(this.#bucket, prefix)) found.push(version);
    return found;
  }
}

export function within({ from, to }: Interval, { lastModified }: ListedVersion): boolean {
  const at = Date.parse(lastModified);
  return from <= at && at < to;
}

/** The version that was written first of each key: what came after it was not ours, since we write a key once. */
export function firstVersions(versions: readonly ListedVersion[]): ListedVersion[] {
  const objects = versions.filter(({ deleteMarker }) => !deleteMarker);
  return [...groupBy(objects, ({ key }) => key).values()].map((ofKey) =>
    // S3 lists the newest version of a key first
    ofKey.reduce((first, next) => (next.lastModified <= first.lastModified ? next : first)),
  );
}

/** `dt=<UTC date>/` of each day that the interval touches. */
export function daysBetween(from: number, to: number): string[] {
  const days: string[] = [];
  for (let at = Math.floor(from / DAY_MILLIS) * DAY_MILLIS; at < to; at += DAY_MILLIS) {
    days.push(`dt=${hourOf(at).slice(0, 10)}/`);
  }
  return days;
}
