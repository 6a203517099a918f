import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import type { Finding, FindingKind } from '../findings.ts';
import { CONCURRENT_INSPECTIONS } from './extend-runs.ts';

/** What a retention audit resolves by looking at the same version or trace again and finding it sound. */
const RESOLVED_BY_LOOKING: readonly FindingKind[] = [
  'extension_failed',
  'lock_mode_differs',
  'not_locked',
  'replication_failed',
  'retention_short',
  'trace_shorter_than_run',
  'version_missing',
];

/**
 * The last steps of findings about runs that an audit looked at again and does not find any more.
 * @param runKeys runs that it looked at
 * @param isJudged whether it could look at a finding's subject
 */
export async function resolveFindings(
  runKeys: readonly string[],
  standing: readonly Finding[],
  asOf: string,
  isJudged: (finding: Finding) => boolean,
  index: RunIndex,
): Promise<Finding[]> {
  const found = new Set(standing.map(({ id }) => id));
  const resolved = new Map<string, Finding>();
  await mapConcurrently(runKeys, CONCURRENT_INSPECTIONS, async (runKey) => {
    const steps = groupBy(await index.runFindings(runKey), ({ id }) => id);
    for (const [id, [first, ...later]] of steps) {
      if (!first || found.has(id) || !RESOLVED_BY_LOOKING.includes(first.kind)) continue;
      const last = later.reduce((a, b) => (isAfter(b, a) ? b : a), first);
      if (last.status === 'resolved' || last.at > asOf || !isJudged(last)) continue;
      resolved.set(id, { ...last, status: 'resolved', at: asOf, detail: {} });
    }
  });
  return [...resolved.values()];
}

/** Of two steps at one instant, the resolution is the later: an audit resolves what it opened when it is run again. */
function isAfter(a: Finding, b: Finding): boolean {
  return a.at === b.at ? a.status === 'resolved' : a.at > b.at;
}
