import { uniqueBy } from '../collections.ts';
import type { TraceRunEntry } from '../evidence/index-entries.ts';
import type { Submitter } from '../evidence/stream-record.ts';
import { isUuid } from '../openlineage/identity.ts';

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
  const said = new Sayings(bySpan, byRun);
  const links = bySpan.map((claim) => linkFromSpan(claim, said, held));
  const unanswered = byRun.filter((claim) => !said.spansHere.has(pairKey(claim)));
  return [...links, ...unanswered.map((claim) => linkFromRun(claim, said, held))];
}

/** The first claim of each group about one thing, in the order they came. */
type Voices = ReadonlyMap<string, TraceRunEntry>;

/** What each side says, by what it speaks of; each look-up is a step, so that judging all is linear. */
class Sayings {
  /** Of the run about itself: in any trace, where it names a span, and of this very span. */
  readonly runs: ReadonlyMap<string, Voices>;
  readonly runsWithSpan: ReadonlyMap<string, Voices>;
  readonly runsHere: ReadonlyMap<string, Voices>;
  /** Of spans about a run: in any trace, of this very span, and whichever run this span names. */
  readonly spans: ReadonlyMap<string, Voices>;
  readonly spansHere: ReadonlyMap<string, Voices>;
  readonly anyOfSpan: ReadonlyMap<string, Voices>;
  readonly #mutual: ReadonlySet<string>;

  constructor(bySpan: readonly TraceRunEntry[], byRun: readonly TraceRunEntry[]) {
    const runsWithSpan = byRun.filter(({ spanId }) => spanId !== undefined);
    const spansWithId = bySpan.filter(({ spanId }) => spanId !== undefined);
    this.runs = voicesBy(byRun, ({ runKey }) => runKey);
    this.runsWithSpan = voicesBy(runsWithSpan, ({ runKey }) => runKey);
    this.runsHere = voicesBy(runsWithSpan, pairKey);
    this.spans = voicesBy(bySpan, ({ runKey }) => runKey);
    this.spansHere = voicesBy(spansWithId, pairKey);
    this.anyOfSpan = voicesBy(spansWithId, spanKey);
    const agreed = runsWithSpan.filter((run) =>
      this.spansHere.get(pairKey(run))?.has(run.submitter.group),
    );
    this.#mutual = new Set(agreed.map(runInGroup));
  }

  /** True when some span and the run agree within the group: then another span with its id is no contradiction. */
  hasMutual(claim: TraceRunEntry): boolean {
    return this.#mutual.has(runInGroup(claim));
  }
}

function linkFromSpan(claim: TraceRunEntry, said: Sayings, held: HeldRuns): TraceRunLink {
  const { group } = claim.submitter;
  const meeting = said.runsHere.get(pairKey(claim));
  const agreeing = meeting?.get(group);
  if (agreeing) return link(claim, 'mutual', { run: agreeing.submitter, span: claim.submitter });
  if (isAmbiguous(claim, held)) return link(claim, 'ambiguous', { span: claim.submitter });
  const own = said.runsWithSpan.get(claim.runKey)?.get(group);
  if (own && !said.hasMutual(claim)) {
    return link(claim, 'contradictory', { run: own.submitter, span: claim.submitter });
  }
  const foreign = firstOf(meeting) ?? firstOf(said.runs.get(claim.runKey), group);
  if (foreign && !own)
    return link(claim, 'unpaired', { run: foreign.submitter, span: claim.submitter });
  return link(claim, 'one-way', { span: claim.submitter });
}

/** Of a run's claim that no span answers with the same run id. */
function linkFromRun(claim: TraceRunEntry, said: Sayings, held: HeldRuns): TraceRunLink {
  if (isAmbiguous(claim, held)) return link(claim, 'ambiguous', { run: claim.submitter });
  if (claim.spanId !== undefined) {
    const { group } = claim.submitter;
    const here = said.anyOfSpan.get(spanKey(claim));
    const elsewhere = said.hasMutual(claim) ? undefined : said.spans.get(claim.runKey);
    const contradicting = here?.get(group) ?? elsewhere?.get(group);
    if (contradicting) {
      return link(claim, 'contradictory', { run: claim.submitter, span: contradicting.submitter });
    }
    const foreign = firstOf(here) ?? firstOf(elsewhere);
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

function voicesBy(
  claims: readonly TraceRunEntry[],
  keyOf: (claim: TraceRunEntry) => string,
): ReadonlyMap<string, Voices> {
  const found = new Map<string, Map<string, TraceRunEntry>>();
  for (const claim of claims) {
    const key = keyOf(claim);
    const voices = found.get(key) ?? new Map<string, TraceRunEntry>();
    if (!voices.has(claim.submitter.group)) voices.set(claim.submitter.group, claim);
    found.set(key, voices);
  }
  return found;
}

/** The first claim of any group, or of any but one. */
function firstOf(voices: Voices | undefined, except?: string): TraceRunEntry | undefined {
  for (const [group, claim] of voices ?? []) if (group !== except) return claim;
  return undefined;
}

/** A run and a span. */
function pairKey({ runKey, traceId, spanId }: TraceRunEntry): string {
  return JSON.stringify([runKey, traceId, spanId]);
}

function spanKey({ traceId, spanId }: TraceRunEntry): string {
  return JSON.stringify([traceId, spanId]);
}

function runInGroup({ runKey, submitter }: TraceRunEntry): string {
  return JSON.stringify([runKey, submitter.group]);
}
