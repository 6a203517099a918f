import { type GuardCheck, guardFindings } from '../audit/guards.ts';
import type { AuditInterval } from '../audit/population.ts';
import { identified, type Report } from '../audit/report.ts';
import { uniqueBy } from '../collections.ts';
import { type Finding, openFinding, standingStep } from '../findings.ts';
import type { Damage, DamageKind } from '../integrity/verify-damage.ts';
import { Recounts, type RecountTally, type StandingRecount } from '../integrity/verify-recounts.ts';
import type { Rehashed } from './rehash.ts';
import type { ReportGap, ReportsSince, ReportTimes } from './report-times.ts';
import type { SliceState } from './slices.ts';
import type { ChainState } from './walk-ahead.ts';

/** Damage that is named in findings; what is beyond is counted. */
const MAX_NAMED = 1_000;

/** Where the next verification goes on. */
interface Resume {
  readonly chain?: ChainState;
  readonly slices: SliceState;
  readonly reportsSince: ReportsSince;
  /** When the first verification ran. RFC 3339 UTC. */
  readonly watchedSince: string;
}

/** What a verification saw. */
export interface SeenVault {
  readonly chain: {
    /** Digests that the vault holds, and those that were read for the first time. */
    readonly listed: number;
    readonly walked: number;
    /** Whether it was walked to its end. */
    readonly isAtEnd: boolean;
  };
  readonly slices: {
    readonly periodDays: number;
    /** UTC dates whose slices were looked at, both included, to their end or not. */
    readonly from: string;
    readonly to: string;
    readonly isFinished: boolean;
    /** Days whose slices are still due. */
    readonly behindDays: number;
  };
  readonly checked: Rehashed & { readonly folders: number; readonly versions: number };
  /** How many reports each scheduled control has left. */
  readonly reports: Partial<ReportTimes['seen']>;
  readonly unreadable: readonly string[];
  readonly damages: Readonly<Partial<Record<DamageKind, number>>>;
  readonly resume: Resume;
}

/** What the scheduled verification saw, locked; the next one goes on where it ended. */
export interface VerificationReport extends Report, SeenVault {
  readonly kind: 'verify';
  /** `incomplete` when something could not be looked at, or has been due for longer than the period. */
  readonly status: 'complete' | 'incomplete';
  /** Where the head of the chain was sent outside the account: `unanchored` when nowhere. */
  readonly anchor: string;
  /** What the digests say of the records that were accepted. */
  readonly recounts: RecountTally;
}

/** Damage as it was found: named up to a bound, all of it counted; what two looks at a digest say is said once. */
export class FoundDamage {
  readonly #named = new Map<string, Damage>();
  readonly counts: Partial<Record<DamageKind, number>> = {};

  get named(): Damage[] {
    return [...this.#named.values()];
  }

  readonly add = (damage: Damage): void => {
    const subject = subjectOf(damage);
    if (this.#named.has(subject)) return;
    this.counts[damage.kind] = (this.counts[damage.kind] ?? 0) + 1;
    if (this.#named.size < MAX_NAMED) this.#named.set(subject, damage);
  };
}

/** Composes the report; a pure function of what was seen. */
export function verificationReport(
  interval: AuditInterval,
  seen: SeenVault & {
    readonly named: readonly Damage[];
    readonly gaps: readonly ReportGap[];
    readonly guards: GuardCheck;
    readonly bucketName: string;
  },
  before: VerificationReport | undefined,
): VerificationReport {
  const { named, gaps, guards, bucketName, ...content } = seen;
  const { asOf } = interval;
  const { isAtEnd } = seen.chain;
  const recounts = new Recounts(seen.resume.chain?.recounts);
  const isLate = seen.slices.behindDays > seen.slices.periodDays;
  const isBlind =
    seen.unreadable.length + guards.unreadable.length + seen.checked.locksNotKnown > 0;
  const incomplete = isBlind || !isAtEnd || isLate;
  const standing = [
    ...named.map((damage) => damageFinding(damage, asOf)),
    ...recounts.lost.map((recount) => lossFinding(recount, asOf)),
    ...gaps.map((gap) => gapFinding(gap, asOf)),
    ...guardFindings(guards, { asOf, bucketName }),
  ];
  if (incomplete) {
    standing.push(
      openFinding('audit_incomplete', {
        ...{ plane: 'store', subject: 'verify', at: asOf, runKeys: [] },
        detail: {
          ...{ unreadable: seen.unreadable.length, isAtEnd, isLate },
          locksNotKnown: seen.checked.locksNotKnown,
        },
      }),
    );
  }
  const last = new Map(before?.findings.map((finding) => [finding.id, finding]));
  const findings = uniqueBy(standing, ({ id }) => id).map((finding) =>
    standingStep(finding, last.get(finding.id)),
  );
  const settled = settledFindings(findings, before, asOf, isBlind);
  return identified({
    kind: 'verify' as const,
    ...interval,
    status: incomplete ? 'incomplete' : 'complete',
    ...content,
    damages: {
      ...seen.damages,
      ...(recounts.tally.notStored > 0 && { accepted_not_stored: recounts.tally.notStored }),
    },
    unreadable: [...seen.unreadable, ...guards.unreadable].sort(),
    anchor: seen.resume.chain?.head.anchor ?? 'unanchored',
    recounts: recounts.tally,
    findings: [...findings, ...settled].sort((a, b) => (a.id < b.id ? -1 : 1)),
  });
}

function damageFinding(damage: Damage, at: string): Finding {
  const { kind, key, versionId, lines, detail } = damage;
  return openFinding('integrity_broken', {
    plane: 'store',
    subject: subjectOf(damage),
    ...{ at, runKeys: [] },
    detail: {
      ...{ damage: kind, key, detail },
      ...(versionId !== undefined && { versionId }),
      ...(lines && { lines: lines.join(',') }),
    },
  });
}

function subjectOf({ kind, key, versionId }: Damage): string {
  return [kind, key, ...(versionId === undefined ? [] : [versionId])].join('/');
}

/** Not `integrity_broken`, which stays: a later count may find the records. Those of the recount name each of them. */
function lossFinding(recount: StandingRecount, at: string): Finding {
  const { plane, shardId, from, to, digestKey, accepted, notStored } = recount;
  return openFinding('accepted_not_stored', {
    ...{ plane, subject: `verify/${shardId}/${from}/${to}`, at, runKeys: [] },
    detail: { reason: 'not_stored', digest: digestKey, accepted, records: notStored },
  });
}

function gapFinding({ control, after, until }: ReportGap, at: string): Finding {
  return openFinding('report_missing', {
    plane: 'store',
    subject: `${control}/${after}`,
    ...{ at, runKeys: [] },
    detail: { control, after, until },
  });
}

/** Last steps of what the run before found and this one does not; what could not be looked at stands as it stood. */
function settledFindings(
  findings: readonly Finding[],
  before: VerificationReport | undefined,
  asOf: string,
  isBlind: boolean,
): Finding[] {
  const found = new Set(findings.map(({ id }) => id));
  const open = (before?.findings ?? []).filter(
    ({ id, kind, status }) =>
      status !== 'resolved' && kind !== 'integrity_broken' && !found.has(id),
  );
  if (isBlind) return open;
  return open.map((finding) => ({ ...finding, status: 'resolved', at: asOf, detail: {} }));
}
