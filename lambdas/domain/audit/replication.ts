import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { AccessDeniedError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourFolder, hourOf } from '../evidence/hour-shard.ts';
import type { ListedVersion, VersionInspector, VersionState } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { type Finding, openFinding } from '../findings.ts';
import { CONCURRENT_INSPECTIONS } from './extend-runs.ts';
import type { Inspection } from './inspection.ts';
import type { AuditInterval } from './population.ts';
import { wholeHours } from './vault-listing.ts';

/**
 * S3 copies within minutes. What the next daily audit, which goes two hours further back than this one, does not look at
 * again is not left as pending.
 */
const COPIED_WITHIN_MILLIS = 2 * 3_600_000;

/** Folders cut up by date, below themselves or below the folders in them. */
const DATED = [EvidencePrefix.digests];
const DATED_BELOW = [EvidencePrefix.reports];
/** Folders that hold little: listed as a whole. */
const SMALL = [
  EvidencePrefix.erasures,
  EvidencePrefix.holds,
  EvidencePrefix.keys,
  EvidencePrefix.policies,
  EvidencePrefix.producers,
  EvidencePrefix.publicKeys,
];

/** How far the copies of looked-at versions are. */
export class Copies {
  failed = 0;
  pending = 0;
  readonly #asOfMillis: number;

  constructor({ asOf }: AuditInterval) {
    this.#asOfMillis = Date.parse(asOf);
  }

  /** Counts a version. Answers why it is not in the replica, or undefined where it is or may still be under way. */
  count(state: VersionState): string | undefined {
    if (state.status !== 'present' || state.replication === 'COMPLETED') return undefined;
    const age = this.#asOfMillis - Date.parse(state.lastModified);
    if (state.replication === 'PENDING' && age < COPIED_WITHIN_MILLIS) {
      this.pending++;
      return undefined;
    }
    this.failed++;
    return state.replication ?? 'not replicated';
  }
}

/**
 * Counts what landed beside evidence and is not in the replica: one finding for each folder and hour in which it landed.
 * @returns also the subjects of such findings of which it can be said that nothing lacks
 */
export async function lookAtRecords(
  copies: Copies,
  interval: AuditInterval,
  inspection: Inspection,
  reader: { readonly inspector: VersionInspector; readonly vaultBucket: string },
): Promise<{ findings: Finding[]; denied: string[]; sound: Set<string> }> {
  const { vaultBucket } = reader;
  const { landed, denied } = await recordsLanded(interval, reader);
  const hours = wholeHours(interval);
  const sound = new Set(
    [...DATED, ...DATED_BELOW, ...SMALL]
      .map((folder) => `${vaultBucket}/${folder}`)
      .filter((folder) => !denied.some((name) => name.startsWith(folder)))
      .flatMap((folder) => hours.map((hour) => folder + hourFolder(hour))),
  );
  const subjectOf = ({ key, lastModified }: ListedVersion) =>
    `${vaultBucket}/${key.split('/')[0]}/${hourFolder(hourOf(lastModified))}`;
  const findings: Finding[] = [];
  for (const [subject, versions] of groupBy(landed, subjectOf)) {
    const states = await mapConcurrently(versions, CONCURRENT_INSPECTIONS, (version) =>
      inspection.of(version),
    );
    const lacking = states.flatMap((state) => copies.count(state) ?? []);
    const [status] = lacking;
    if (status !== undefined) {
      const detail = { status, failed: lacking.length };
      findings.push(
        openFinding('replication_failed', {
          ...{ plane: 'store', subject, at: interval.asOf, runKeys: [], detail },
        }),
      );
    }
    if (status !== undefined || states.some((state) => state.status === 'denied')) {
      sound.delete(subject);
    }
  }
  return { findings, denied, sound };
}

async function recordsLanded(
  { from, to }: AuditInterval,
  { inspector, vaultBucket }: { inspector: VersionInspector; vaultBucket: string },
): Promise<{ landed: ListedVersion[]; denied: string[] }> {
  const landed: ListedVersion[] = [];
  const denied: string[] = [];
  const looking = async <T>(prefix: string, look: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof AccessDeniedError)) throw error;
      denied.push(`${vaultBucket}/${prefix}`);
      return undefined;
    }
  };
  const dated: string[] = [...DATED];
  for (const prefix of DATED_BELOW) {
    const folders = await looking(prefix, () => inspector.folders(vaultBucket, prefix));
    dated.push(...(folders ?? []));
  }
  const dates = datesIn(from, to).map((date) => `dt=${date}/`);
  const prefixes = [...SMALL, ...dated.flatMap((prefix) => dates.map((date) => prefix + date))];
  for (const prefix of prefixes) {
    await looking(prefix, async () => {
      for await (const version of inspector.list(vaultBucket, prefix)) {
        const at = Date.parse(version.lastModified);
        const isIn = at >= Date.parse(from) && at < Date.parse(to);
        if (isIn && !version.deleteMarker) landed.push(version);
      }
    });
  }
  return { landed, denied };
}

function datesIn(from: string, to: string): string[] {
  const dates: string[] = [];
  const [first, end] = [from, to].map((text) => Date.parse(text)) as [number, number];
  for (let at = first - (first % DAY_MILLIS); at < end; at += DAY_MILLIS) {
    dates.push(new Date(at).toISOString().slice(0, 10));
  }
  return dates;
}
