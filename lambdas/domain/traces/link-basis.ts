import { groupBy, uniqueBy } from '../collections.ts';
import type { TraceRunEntry } from '../evidence/index-entries.ts';
import type { Submitter } from '../evidence/stream-record.ts';
import { isUuid } from '../openlineage/event.ts';

/**
 * How well a link between a run and a span is founded (evidence.md 5.4).
 * `mutual`: each names the other, within one group. `unpaired`: both speak, from different groups.
 * `contradictory`: within one group, one of them names another partner. `one-way`: only one speaks.
 * `ambiguous`: the run id is no UUID, several groups hold such a run and the speaker is of none of them.
 */
export type LinkBasis = 'mutual' | 'one-way' | 'contradictory' | 'unpaired' | 'ambiguous';

export interface TraceRunLink {
  readonly traceId: string;
  readonly runId: string;
  readonly runKey: string;
  readonly spanId?: string;
  readonly basis: LinkBasis;
  /** Who declared each side; one is absent where nobody did. */
  readonly submitters: { readonly run?: Submitter; readonly span?: Submitter };
}

/** Which groups hold a run, by run key. */
export type HeldRuns = ReadonlyMap<string, readonly string[]>;

/**
 * Judges every declared link by the other side's word. Give all entries of the runs in question, in
 * whatever trace: a run that names a span elsewhere contradicts the one that names the run here.
 */
export function linkRunsAndSpans(
  entries: readonly TraceRunEntry[],
  held: HeldRuns = new Map(),
): TraceRunLink[] {
  const claims = distinct(entries);
  const bySpan = claims.filter(({ declaredBy }) => declaredBy === 'span');
  const byRun = claims.filter(({ declaredBy }) => declaredBy === 'run');
  const pairs = new Pairs(bySpan, byRun);
  const links = bySpan.map((claim) => linkFromSpan(claim, pairs, held));
  const unanswered = byRun.filter((claim) => pairs.spanSide(claim).length === 0);
  return [...links, ...unanswered.map((claim) => linkFromRun(claim, pairs, held))];
}

/** What each side says, and who agrees with whom. */
class Pairs {
  readonly bySpan: readonly TraceRunEntry[];
  readonly byRun: readonly TraceRunEntry[];
  readonly #byRunKey: ReadonlyMap<string, readonly TraceRunEntry[]>;
  readonly #spansByRunKey: ReadonlyMap<string, readonly TraceRunEntry[]>;
  readonly #runsOfSpan: ReadonlyMap<string, readonly TraceRunEntry[]>;

  constructor(bySpan: readonly TraceRunEntry[], byRun: readonly TraceRunEntry[]) {
    this.bySpan = bySpan;
    this.byRun = byRun;
    this.#byRunKey = groupBy(byRun, ({ runKey }) => runKey);
    this.#spansByRunKey = groupBy(bySpan, ({ runKey }) => runKey);
    this.#runsOfSpan = groupBy(bySpan, spanKey);
  }

  /** Claims of the run about itself, in any trace. */
  runClaims({ runKey }: TraceRunEntry): readonly TraceRunEntry[] {
    return this.#byRunKey.get(runKey) ?? [];
  }

  /** Spans, in any trace, that name the same run. */
  spanClaims({ runKey }: TraceRunEntry): readonly TraceRunEntry[] {
    return this.#spansByRunKey.get(runKey) ?? [];
  }

  /** Spans' own claims that a run's claim meets: same run, same span. */
  spanSide(claim: TraceRunEntry): readonly TraceRunEntry[] {
    return this.spanClaims(claim).filter((other) => sameSpan(other, claim));
  }

  /** Every run that the span of a claim names. */
  runsOfSpan(claim: TraceRunEntry): readonly TraceRunEntry[] {
    return this.#runsOfSpan.get(spanKey(claim)) ?? [];
  }

  /** True when some span and the run agree within the group: then another span with its id is no contradiction. */
  hasMutual(claim: TraceRunEntry): boolean {
    return this.runClaims(claim).some(
      (run) => sameGroup(run, claim) && this.spanSide(run).some((span) => sameGroup(span, run)),
    );
  }
}

function linkFromSpan(claim: TraceRunEntry, pairs: Pairs, held: HeldRuns): TraceRunLink {
  const runs = pairs.runClaims(claim);
  const meeting = runs.filter((run) => sameSpan(run, claim));
  const agreeing = meeting.find((run) => sameGroup(run, claim));
  if (agreeing) return link(claim, 'mutual', { run: agreeing.submitter, span: claim.submitter });
  if (isAmbiguous(claim, held)) return link(claim, 'ambiguous', { span: claim.submitter });
  const own = runs.find((run) => sameGroup(run, claim) && run.spanId !== undefined);
  if (own && !pairs.hasMutual(claim)) {
    return link(claim, 'contradictory', { run: own.submitter, span: claim.submitter });
  }
  const foreign = meeting[0] ?? runs.find((run) => !sameGroup(run, claim));
  if (foreign && !own)
    return link(claim, 'unpaired', { run: foreign.submitter, span: claim.submitter });
  return link(claim, 'one-way', { span: claim.submitter });
}

/** Of a run's claim that no span answers with the same run id. */
function linkFromRun(claim: TraceRunEntry, pairs: Pairs, held: HeldRuns): TraceRunLink {
  if (isAmbiguous(claim, held)) return link(claim, 'ambiguous', { run: claim.submitter });
  if (claim.spanId !== undefined) {
    const elsewhere = [
      ...pairs.runsOfSpan(claim),
      ...(pairs.hasMutual(claim) ? [] : pairs.spanClaims(claim)),
    ];
    const contradicting = elsewhere.find((span) => sameGroup(span, claim));
    if (contradicting) {
      return link(claim, 'contradictory', { run: claim.submitter, span: contradicting.submitter });
    }
    const foreign = elsewhere[0];
    if (foreign) return link(claim, 'unpaired', { run: claim.submitter, span: foreign.submitter });
  }
  return link(claim, 'one-way', { run: claim.submitter });
}

function link(
  { traceId, runId, runKey, spanId }: TraceRunEntry,
  basis: LinkBasis,
  submitters: TraceRunLink['submitters'],
): TraceRunLink {
  return { traceId, runId, runKey, ...(spanId !== undefined && { spanId }), basis, submitters };
}

/** Deliveries repeat a claim; it counts once per side and group. */
function distinct(entries: readonly TraceRunEntry[]): readonly TraceRunEntry[] {
  return uniqueBy(entries, ({ declaredBy, traceId, spanId, runKey, submitter }) =>
    JSON.stringify([declaredBy, traceId, spanId, runKey, submitter.group]),
  );
}

function isAmbiguous({ runKey, submitter }: TraceRunEntry, held: HeldRuns): boolean {
  const groups = held.get(runKey) ?? [];
  return !isUuid(runKey) && groups.length > 1 && !groups.includes(submitter.group);
}

function sameSpan(a: TraceRunEntry, b: TraceRunEntry): boolean {
  return a.traceId === b.traceId && a.spanId !== undefined && a.spanId === b.spanId;
}

function sameGroup(a: TraceRunEntry, b: TraceRunEntry): boolean {
  return a.submitter.group === b.submitter.group;
}

function spanKey({ traceId, spanId }: TraceRunEntry): string {
  return JSON.stringify([traceId, spanId]);
}
