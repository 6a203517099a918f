import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import type { Clock } from '../evidence/ports.ts';
import type { Finding, StreamPlane } from '../findings.ts';
import type { Digest, Recount } from './digest.ts';
import { pendingRecounts } from './pending-recounts.ts';
import { MAX_NAMED } from './recount-bounds.ts';
import { recountFindings, resolveIncomplete } from './recount-findings.ts';
import {
  ALL_SHARDS,
  type CountShardDependencies,
  countShard,
  type ShardCount,
} from './recount-shard.ts';

export interface RecountDependencies extends CountShardDependencies {
  /** The instant that the digest speaks for: how old what is not stored has become. */
  readonly asOfMillis: number;
  /** What is not stored so long after its interval counts as missing. */
  readonly graceMillis: number;
  /** What the stream still keeps goes by the time that it is, whatever the digest speaks for. */
  readonly clock: Clock;
}

export interface Recounted {
  /** For the digest: of its own interval, then what earlier ones left open. */
  readonly recounts: readonly Recount[];
  /** To be recorded before the digest is written; the same findings for the same counts. */
  readonly findings: readonly Finding[];
  /** Our own codes of what could not be counted, for the log. */
  readonly failures: readonly string[];
}

/** What is to be counted; `earlier` is what the last count of it came to. */
interface Target extends Pick<Recount, 'plane' | 'shardId' | 'from' | 'to'> {
  readonly earlier?: Recount;
}

const PLANES: readonly StreamPlane[] = ['lineage', 'traces'];

/** A shard takes 1,000 records a second: two intervals of a quarter of an hour are 1.8 million numbers in memory. */
const CONCURRENT_SHARDS = 2;

/** The count of an interval begins so long before the stream lets go of it, and is through before. */
const RETENTION_MARGIN_MILLIS = 900_000;

/**
 * Reads each shard of both streams again for an interval of arrival, and compares what they took with what vault and
 * staging hold: a record that was accepted and is neither stored nor named in quarantine is found, whatever the index
 * says. Then does the same for what earlier digests left open. Whatever cannot be counted is `behind`: no failure
 * here keeps a digest from being written.
 * @param interval half-open, RFC 3339 UTC, and over
 */
export async function recount(
  interval: { readonly from: string; readonly to: string },
  previous: Pick<Digest, 'recounts'> | undefined,
  dependencies: RecountDependencies,
): Promise<Recounted> {
  const failures: string[] = [];
  const note = (error: unknown) => void failures.push(errorCode(error));
  const { due, carried } = pendingRecounts(previous, dependencies.asOfMillis);
  const keptSince = await oldestKept(dependencies, note);

  const targetsOf = async (
    plane: StreamPlane,
    { from, to }: typeof interval,
  ): Promise<Target[]> => {
    try {
      const shards = await dependencies.counter.shards(plane);
      return shards.map((shardId) => ({ plane, shardId, from, to }));
    } catch (error) {
      note(error);
      return [{ plane, shardId: ALL_SHARDS, from, to }];
    }
  };
  const found: Finding[] = [];
  const again = async (earlier: Recount): Promise<Target[]> => {
    const targets = earlier.shardId === ALL_SHARDS ? await targetsOf(earlier.plane, earlier) : [];
    if (targets.every(({ shardId }) => shardId === ALL_SHARDS)) {
      return [{ ...pick(earlier), earlier }];
    }
    const at = new Date(dependencies.asOfMillis).toISOString();
    found.push(...resolveIncomplete(earlier, at, dependencies.graceMillis));
    return targets;
  };
  const targets = [...PLANES.map((plane) => targetsOf(plane, interval)), ...due.map(again)];
  const settled = await mapConcurrently(
    (await Promise.all(targets)).flat(),
    CONCURRENT_SHARDS,
    async (target) => {
      const oldest = keptSince.get(target.plane);
      if (oldest === undefined) return settle(target, undefined, dependencies);
      if (Date.parse(target.from) < oldest) return leave(target, dependencies);
      const count = await countShard(target, dependencies).catch(note);
      return settle(target, count ?? undefined, dependencies);
    },
  );
  return {
    recounts: [...settled.map(({ recount }) => recount), ...carried],
    findings: [...found, ...settled.flatMap(({ findings }) => findings)],
    failures,
  };
}

/** The earliest arrival that each stream surely keeps until it is counted; none where it does not answer. */
async function oldestKept(
  { counter, clock }: RecountDependencies,
  note: (error: unknown) => void,
): Promise<Map<StreamPlane, number>> {
  const oldest = new Map<StreamPlane, number>();
  for (const plane of PLANES) {
    try {
      const kept = await counter.retentionMillis(plane);
      oldest.set(plane, clock() - kept + RETENTION_MARGIN_MILLIS);
    } catch (error) {
      note(error);
    }
  }
  return oldest;
}

/** What a count comes to; without one, what the last came to stands. */
function settle(
  target: Target,
  count: ShardCount | undefined,
  { asOfMillis, graceMillis }: RecountDependencies,
): { recount: Recount; findings: readonly Finding[] } {
  const { earlier } = target;
  const isOld = asOfMillis - Date.parse(target.to) >= graceMillis;
  const looked = { ...pick(target), countedAt: new Date(asOfMillis).toISOString() };
  const recount: Recount = count
    ? {
        ...looked,
        status: count.missing.length === 0 ? 'equal' : isOld ? 'missing' : 'behind',
        accepted: count.accepted,
        stored: count.accepted - count.missing.length,
        ...(count.missing.length > 0 && {
          missing: count.missing.slice(0, MAX_NAMED).map(({ sequenceNumber }) => sequenceNumber),
        }),
      }
    : { status: 'behind', ...earlier, ...looked };
  return { recount, findings: recountFindings(recount, count, earlier, { isOld, graceMillis }) };
}

/** The stream has let go of the interval: what was found missing stays so, anything else is not known any more. */
function leave(
  target: Target,
  { asOfMillis, graceMillis }: RecountDependencies,
): { recount: Recount; findings: readonly Finding[] } {
  const countedAt = new Date(asOfMillis).toISOString();
  const recount: Recount = { ...pick(target), status: 'not_recounted', countedAt };
  const age = { isOld: true, graceMillis };
  return { recount, findings: recountFindings(recount, undefined, target.earlier, age) };
}

function pick({ plane, shardId, from, to }: Target) {
  return { plane, shardId, from, to };
}
