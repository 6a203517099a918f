import { answerTo } from './answers.ts';
import { type AccountCheck, type Step, type Subject, type Verdict, verdictOf } from './check.ts';

/** A check that was run. */
export interface Result {
  readonly check: string;
  readonly verdict: Verdict;
  readonly steps: readonly Step[];
}

/** Runs checks one after the other. One that breaks off shows nothing, and stops none after it. */
export async function runChecks(
  checks: readonly AccountCheck[],
  subject: Subject,
  progress: (name: string) => void,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const { name, run } of checks) {
    progress(name);
    let steps: readonly Step[] = [];
    const { code } = await answerTo(
      run(subject).then((taken) => {
        steps = taken;
      }),
    );
    if (code !== 'ok') {
      const asked = 'all that it has to know';
      steps = [{ asked, expected: 'answers', observed: code, verdict: 'unknown' }];
    }
    results.push({ check: name, verdict: verdictOf(steps), steps });
  }
  return results;
}

/** What each check does, leaves and costs: shown before any is run. */
export function renderPlan(checks: readonly AccountCheck[]): string {
  return checks
    .map(
      ({ costs, does, leaves, name }) =>
        `${name}\n  does    ${does}\n  leaves  ${leaves}\n  costs   ${costs}`,
    )
    .join('\n');
}

/** The steps of each check, and how many checks hold. */
export function renderResults(results: readonly Result[]): string {
  const lines = results.flatMap(({ check, steps, verdict }) => [
    `${verdict.padEnd(7)} ${check}`,
    ...steps.map(
      ({ asked, expected, observed, verdict: one }) =>
        `  ${one.padEnd(7)} ${asked}: ${observed}${one === 'holds' ? '' : `, not ${expected}`}`,
    ),
  ]);
  const count = (wanted: Verdict) => results.filter(({ verdict }) => verdict === wanted).length;
  const counts = `${count('holds')} hold, ${count('fails')} fail, ${count('unknown')} unknown, ${count('none')} do not apply`;
  return [...lines, counts].join('\n');
}
