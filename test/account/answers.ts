import type { Step } from './check.ts';

/** How AWS answered a call: `ok`, or the code of its error and why a right was denied. */
export interface Answer {
  readonly code: string;
  readonly denial?: 'explicit deny of a resource policy' | 'explicit deny' | 'no allow';
}

const DENIED = new Set(['AccessDenied', 'AccessDeniedException']);

/** The answer to a call; a name is all that is kept of an error. */
export async function answerTo(call: Promise<unknown>): Promise<Answer> {
  try {
    await call;
    return { code: 'ok' };
  } catch (error) {
    const { name, message } = error as Error;
    const denial = DENIED.has(name) ? denialIn(message) : undefined;
    return { code: name, ...(denial && { denial }) };
  }
}

/**
 * Callers of the same account are told which kind of policy denied.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
 */
function denialIn(message: string): Answer['denial'] {
  if (/explicit deny in a resource-based policy/i.test(message)) {
    return 'explicit deny of a resource policy';
  }
  if (/explicit deny/i.test(message)) return 'explicit deny';
  if (/no identity-based policy allows/i.test(message)) return 'no allow';
  return undefined;
}

/**
 * Expects that a policy of the resource refuses a call. A refusal for want of a right of the caller shows nothing;
 * one without a reason shows something only when a `control`, the same call made right, came through.
 */
export function refusedStep(asked: string, answer: Answer, control: boolean): Step {
  return {
    asked,
    expected: 'AccessDenied',
    observed: answer.denial ? `${answer.code} (${answer.denial})` : answer.code,
    verdict: verdictOnRefusal(answer, control),
  };
}

function verdictOnRefusal({ code, denial }: Answer, control: boolean): Step['verdict'] {
  if (!DENIED.has(code)) return 'fails';
  if (denial === 'explicit deny of a resource policy') return 'holds';
  return denial === undefined && control ? 'holds' : 'unknown';
}

/** A call that has to get past every policy, or its refused neighbours show nothing. */
export function controlStep(asked: string, answer: Answer, expected: string): Step {
  const observed = answer.denial ? `${answer.code} (${answer.denial})` : answer.code;
  return { asked, expected, observed, verdict: answer.code === expected ? 'holds' : 'unknown' };
}
