import { positionText } from '../evidence/quarantine.ts';
import { type Finding, openFinding } from '../findings.ts';
import type { Recount } from './digest.ts';
import { MAX_NAMED } from './recount-bounds.ts';
import type { ShardCount } from './recount-shard.ts';

/**
 * What a count opens and resolves. Accepted records that are not stored are named one by one, and beyond
 * {@link MAX_NAMED} together; what an earlier count named and this one does not is resolved.
 * @param count absent where nothing could be counted
 * @param earlier the last count of the same shard and interval
 * @param age whether the grace is over, so that what is not there is missing
 */
export function recountFindings(
  recount: Recount,
  count: ShardCount | undefined,
  earlier: Recount | undefined,
  { isOld, graceMillis }: { readonly isOld: boolean; readonly graceMillis: number },
): Finding[] {
  if (!count) {
    // Of what left the stream before it was ever counted, the digest itself says so.
    const isNamed = earlier?.status === 'missing';
    const isFirst = earlier === undefined && recount.status === 'not_recounted';
    return isOld && !isNamed && !isFirst ? [incomplete(recount)] : [];
  }
  const now = recount.status === 'missing' ? notStored(recount, count) : [];
  const open = new Set(now.map(({ id }) => id));
  const before = earlier?.status === 'missing' ? namedBefore(earlier) : [];
  return [
    ...now,
    ...before
      .filter(({ id }) => !open.has(id))
      .map((finding) => resolve(finding, recount.countedAt)),
    ...(earlier ? resolveIncomplete(earlier, recount.countedAt, graceMillis) : []),
  ];
}

/** What is to be said when that which could not be counted is counted after all. RFC 3339 UTC. */
export function resolveIncomplete(earlier: Recount, at: string, graceMillis: number): Finding[] {
  return wasNotCounted(earlier, graceMillis) ? [resolve(incomplete(earlier), at)] : [];
}

function resolve(finding: Finding, at: string): Finding {
  return { ...finding, status: 'resolved', at };
}

function incomplete(recount: Recount): Finding {
  return openFinding('audit_incomplete', {
    plane: recount.plane,
    subject: `recount/${intervalText(recount)}`,
    ...{ at: recount.to, runKeys: [], detail: { reason: 'not_counted' } },
  });
}

/** Whatever was counted after the grace is equal or missing. */
function wasNotCounted({ status, countedAt, to }: Recount, graceMillis: number): boolean {
  return status === 'behind' && Date.parse(countedAt) - Date.parse(to) >= graceMillis;
}

function notStored(recount: Recount, { missing }: ShardCount): Finding[] {
  const named = missing
    .slice(0, MAX_NAMED)
    .map(({ sequenceNumber, arrivedAtMillis }) =>
      nameRecord(recount, sequenceNumber, new Date(arrivedAtMillis).toISOString()),
    );
  return missing.length > MAX_NAMED
    ? [...named, nameRest(recount, missing.length - MAX_NAMED)]
    : named;
}

/** The findings of an earlier count, whose times of arrival are not known any more. */
function namedBefore(earlier: Recount): Finding[] {
  const { accepted = 0, stored = 0, missing = [] } = earlier;
  const rest = accepted - stored - missing.length;
  const named = missing.map((sequenceNumber) => nameRecord(earlier, sequenceNumber, earlier.to));
  return rest > 0 ? [...named, nameRest(earlier, rest)] : named;
}

function nameRecord({ plane, shardId }: Recount, sequenceNumber: string, at: string): Finding {
  return openFinding('accepted_not_stored', {
    ...{ plane, subject: positionText({ shardId, sequenceNumber }), at, runKeys: [] },
    detail: { reason: 'not_stored' },
  });
}

function nameRest(recount: Recount, records: number): Finding {
  return openFinding('accepted_not_stored', {
    ...{ plane: recount.plane, subject: intervalText(recount), at: recount.to, runKeys: [] },
    detail: { reason: 'not_stored', records },
  });
}

/** `<shard>/<from>/<to>` */
function intervalText({ shardId, from, to }: Recount): string {
  return `${shardId}/${from}/${to}`;
}
