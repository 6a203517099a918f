import { mapConcurrently } from '../concurrency.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { type Finding, type FindingKind, standingStep } from '../findings.ts';
import { CONCURRENT_INSPECTIONS } from './extend-runs.ts';

/** What a retention audit resolves by looking at the same versions or trace again and finding them sound. */
const RESOLVED_BY_LOOKING: readonly FindingKind[] = [
  'extension_failed',
  'lock_mode_differs',
  'not_locked',
  'replication_failed',
  'retention_short',
  'trace_shorter_than_run',
  'version_missing',
  'version_not_indexed',
];

/** Where the findings are listed that an audit can say something of. */
export interface LookedAt {
  readonly runKeys: Iterable<string>;
  /** Folders of subjects. */
  readonly folders: Iterable<string>;
}

/**
 * Puts what an audit found behind what was found before: what is as it was is no new step but the one that stands, and
 * what it does not find any more is resolved.
 * @param isJudged whether it could look at a finding's subject
 */
export async function settleFindings(
  found: readonly Finding[],
  { runKeys, folders }: LookedAt,
  asOf: string,
  isJudged: (finding: Finding) => boolean,
  index: RunIndex,
): Promise<{ readonly standing: Finding[]; readonly resolved: Finding[] }> {
  const steps = new Map<string, Finding[]>();
  const read = async (list: Promise<Finding[]>) => {
    for (const step of await list) {
      const ofId = steps.get(step.id);
      if (ofId) ofId.push(step);
      else steps.set(step.id, [step]);
    }
  };
  await mapConcurrently([...runKeys], CONCURRENT_INSPECTIONS, (runKey) =>
    read(index.runFindings(runKey)),
  );
  await mapConcurrently([...folders], CONCURRENT_INSPECTIONS, (folder) =>
    read(index.folderFindings(folder)),
  );

  const standing = found.map((finding) => {
    const until = steps.get(finding.id)?.filter(({ at }) => at <= asOf);
    return standingStep(finding, lastOf(until));
  });
  const ids = new Set(found.map(({ id }) => id));
  const resolved = [...steps.values()].flatMap((ofId) => {
    const last = lastOf(ofId);
    if (!last || ids.has(last.id) || !RESOLVED_BY_LOOKING.includes(last.kind)) return [];
    // What a later audit said, stands.
    if (last.status === 'resolved' || last.at > asOf || !isJudged(last)) return [];
    return [{ ...last, status: 'resolved' as const, at: asOf, detail: {} }];
  });
  return { standing, resolved };
}

function lastOf(steps: readonly Finding[] = []): Finding | undefined {
  return steps.reduce<Finding | undefined>(
    (last, step) => (last && !isAfter(step, last) ? last : step),
    undefined,
  );
}

/** Of two steps at one instant, the resolution is the later: an audit resolves what it opened when it is run again. */
function isAfter(a: Finding, b: Finding): boolean {
  return a.at === b.at ? a.status === 'resolved' : a.at > b.at;
}
