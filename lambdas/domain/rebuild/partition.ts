import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { HOUR_MILLIS } from '../evidence/hour-shard.ts';
import type { VersionInspector } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';

/** What the rows of an hour are made of; the first two lie below a retention class. */
const KINDS = ['lineage', 'traces', 'quarantine', 'findings'] as const;

/** One folder of one hour: what is rebuilt in one piece, whatever else is rebuilt at the same time. */
export interface Partition {
  readonly kind: (typeof KINDS)[number];
  /** Key prefix in the vault, and for traces in staging as well: `…/dt=<UTC date>/hour=<HH>/`. */
  readonly prefix: string;
}

/** The digests of one day: what they list of an interval is compared with what the vault holds of it. */
export interface SealedDay extends RebuiltInterval {
  readonly kind: 'digests';
  /** `digests/dt=<UTC date>/` */
  readonly prefix: string;
}

/** Half-open interval of acceptance in milliseconds; open where a side is absent. */
export interface RebuiltInterval {
  readonly fromMillis?: number;
  readonly toMillis?: number;
}

/** Our clock files objects and that of S3 dates them: a digest may be of the day before. */
const CLOCK_LEAD_MILLIS = 300_000;
/**
 * What landed later than this after it was accepted is looked for by a rebuild without an end: a backlog is at most as
 * old as the stream keeps records (7 days by default), a promotion as staging does (14 days).
 */
const MAX_LANDING_DAYS = 40;

interface PartitionSources {
  readonly inspector: Pick<VersionInspector, 'folders'>;
  readonly vaultBucket: string;
  readonly stagingBucket: string;
}

const FOLDER = /\/dt=(\d{4}-\d{2}-\d{2})\/(?:hour=(\d{2})\/)?$/;

/**
 * Every partition that holds something, in order. Takes one request for each day of each kind and class.
 * @throws AccessDeniedError, UnavailableError
 */
export async function listPartitions(
  interval: RebuiltInterval,
  { inspector, vaultBucket, stagingBucket }: PartitionSources,
): Promise<Partition[]> {
  const below = async (buckets: readonly string[], prefix: string): Promise<string[]> => {
    const found = await Promise.all(buckets.map((bucket) => inspector.folders(bucket, prefix)));
    return [...new Set(found.flat())].sort();
  };
  const partitions: Partition[] = [];
  for (const kind of KINDS) {
    const buckets = kind === 'traces' ? [vaultBucket, stagingBucket] : [vaultBucket];
    const root = EvidencePrefix[kind];
    const hasClasses = kind === 'lineage' || kind === 'traces';
    for (const parent of hasClasses ? await below(buckets, root) : [root]) {
      for (const day of await below(buckets, parent)) {
        if (!isWithin(day, interval)) continue;
        for (const prefix of await below(buckets, day)) {
          if (isWithin(prefix, interval)) partitions.push({ kind, prefix });
        }
      }
    }
  }
  return partitions;
}

/** The days of digests that may list what was accepted in an interval, in order. */
export async function listSealedDays(
  interval: RebuiltInterval,
  { inspector, vaultBucket }: Pick<PartitionSources, 'inspector' | 'vaultBucket'>,
): Promise<SealedDay[]> {
  const { fromMillis, toMillis } = interval;
  const landed = {
    ...(fromMillis !== undefined && { fromMillis: fromMillis - CLOCK_LEAD_MILLIS }),
    ...(toMillis !== undefined && { toMillis: toMillis + MAX_LANDING_DAYS * DAY_MILLIS }),
  };
  const days = await inspector.folders(vaultBucket, EvidencePrefix.digests);
  return days
    .filter((prefix) => isWithin(prefix, landed))
    .map((prefix) => ({ kind: 'digests', prefix, ...interval }));
}

/** When the folder of a day or an hour begins and ends; undefined for any other folder. */
export function spanOf(folder: string): { fromMillis: number; toMillis: number } | undefined {
  const [matched, date, hour] = FOLDER.exec(folder) ?? [];
  if (!matched) return undefined;
  const fromMillis = Date.parse(`${date}T${hour ?? '00'}:00:00Z`);
  if (Number.isNaN(fromMillis)) return undefined;
  return { fromMillis, toMillis: fromMillis + (hour ? HOUR_MILLIS : DAY_MILLIS) };
}

/** Whether a folder of a day or an hour has to do with an interval; no other folder has. */
export function isWithin(folder: string, { fromMillis, toMillis }: RebuiltInterval): boolean {
  const span = spanOf(folder);
  return (
    span !== undefined &&
    (fromMillis === undefined || span.toMillis > fromMillis) &&
    (toMillis === undefined || span.fromMillis < toMillis)
  );
}
