import { type AnsweredRun, eventKey, type Vaulted } from './read-back.ts';
import type { SentEvent } from './traffic.ts';

/** What the figures of a scenario say about the events it sent. */
export interface Verdict {
  readonly accepted: number;
  readonly stored: number;
  readonly duplicates: number;
  /** Lines of the vault beyond the first of their delivery. */
  readonly copies: number;
  readonly problems: readonly string[];
}

/** Receipts that are named of each kind of problem. */
const NAMED = 5;

/**
 * Compares what senders were told with what the vault and the API say: every accepted event is there once, under each
 * receipt that was told.
 */
export function judge(
  events: readonly SentEvent[],
  { receipts }: Vaulted,
  answered: ReadonlyMap<string, AnsweredRun>,
): Verdict {
  const lost: string[] = [];
  const unanswered: string[] = [];
  const answeredOften: string[] = [];
  let [accepted, stored, duplicates, copies] = [0, 0, 0, 0];
  const answers = answersByEvent(answered);
  for (const event of events) {
    const inVault = receipts.get(eventKey(event)) ?? [];
    const inAnswer = answers.get(eventKey(event)) ?? [];
    const distinct = new Set(inVault);
    if (event.receipts.length > 0) accepted++;
    lost.push(...event.receipts.filter((receipt) => !distinct.has(receipt)));
    copies += inVault.length - distinct.size;
    const told = new Set(inAnswer.flat());
    unanswered.push(...[...distinct].filter((receipt) => !told.has(receipt)));
    if (inAnswer.length > 1) answeredOften.push(inVault[0] as string);
    if (distinct.size > 0 && inAnswer.length === 1) stored++;
    duplicates += Math.max(distinct.size - 1, 0);
  }
  const refused = events.length - accepted;
  const overcounted = [...answered].filter(([, run]) =>
    run.events.some(({ deliveries, receiptIds }) => deliveries !== new Set(receiptIds).size),
  );
  const withFindings = [...answered].filter(([, { findings }]) => findings.length > 0);
  return {
    ...{ accepted, stored, duplicates, copies },
    problems: [
      ...(refused > 0 ? [`${refused} events were never accepted`] : []),
      ...problem('accepted and not in the vault', lost),
      ...problem('in the vault and not in the answer of the run', unanswered),
      ...problem('more than one event in the answer of the run', answeredOften),
      ...problem(
        'runs that count a delivery twice',
        overcounted.map(([runId]) => runId),
      ),
      ...problem(
        'runs with findings',
        withFindings.map(([runId]) => runId),
      ),
    ],
  };
}

/** For each event, the receipts of every entry that stands for it in the answer of its run. */
function answersByEvent(answered: ReadonlyMap<string, AnsweredRun>): Map<string, string[][]> {
  const answers = new Map<string, string[][]>();
  for (const [runId, { events }] of answered) {
    for (const { eventTime, receiptIds } of events) {
      const key = eventKey({ runId, eventTime });
      answers.set(key, [...(answers.get(key) ?? []), [...receiptIds]]);
    }
  }
  return answers;
}

function problem(what: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const more = ids.length > NAMED ? ', …' : '';
  return [`${ids.length} ${what}: ${ids.slice(0, NAMED).join(', ')}${more}`];
}
