import type { DeploymentRecord } from '../../bin/evidence/deployment.ts';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import type { AccountClients } from './clients.ts';

/** What a check works on. A test gives an emulator in its place; the command refuses to ({@link requireAccount}). */
export interface Subject {
  readonly deployment: DeploymentRecord;
  readonly config: EnvironmentConfig;
  readonly clients: AccountClients;
  /** ARN of whose credentials these are. */
  readonly callerArn: string;
  /** S3 under a role with these rights and no others; absent when no role was named. */
  readonly s3With?: (policy: SessionPolicy) => Promise<AccountClients['s3']>;
  /** Bearer key with the scopes `ingest:lineage` and `read`; absent when none was given. */
  readonly bearerKey?: string;
  /** Part of every name that a check makes, new in each run. */
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

export interface SessionPolicy {
  readonly Version: '2012-10-17';
  readonly Statement: ReadonlyArray<{
    readonly Effect: 'Allow';
    readonly Action: readonly string[];
    readonly Resource: readonly string[];
  }>;
}

/** `unknown`: the answer could have another reason. `none`: this deployment has nothing of the kind. */
export type Verdict = 'holds' | 'fails' | 'unknown' | 'none';

/** One question, what its answer should have been, and what it was: codes and settings, never words of AWS. */
export interface Step {
  readonly asked: string;
  readonly expected: string;
  readonly observed: string;
  readonly verdict: Verdict;
}

/** One claim of docs/limits.md, asked of a real account. */
export interface AccountCheck {
  /** As its row in docs/limits.md names it. */
  readonly name: string;
  readonly does: string;
  /** What stays behind, also when the claim does not hold. */
  readonly leaves: string;
  /** In requests: prices differ by region and time. */
  readonly costs: string;
  readonly run: (subject: Subject) => Promise<readonly Step[]>;
}

const GRAVITY: readonly Verdict[] = ['fails', 'unknown', 'holds', 'none'];

/** The gravest of its steps; a check that asked nothing shows nothing. */
export function verdictOf(steps: readonly Step[]): Verdict {
  return GRAVITY.find((verdict) => steps.some((step) => step.verdict === verdict)) ?? 'unknown';
}

/** Whether a setting is the one that was deployed. */
export function settingStep(asked: string, expected: unknown, observed: unknown): Step {
  const [wanted, found] = [JSON.stringify(expected), JSON.stringify(observed) ?? 'nothing'];
  const verdict = wanted === found ? 'holds' : 'fails';
  return { asked, expected: wanted, observed: found, verdict };
}

/** What could not be asked, and what would make it possible. */
export function unasked(asked: string, missing: string, verdict: 'unknown' | 'none'): Step {
  return { asked, expected: 'an answer', observed: missing, verdict };
}
