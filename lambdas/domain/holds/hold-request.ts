import type { RuleViolation } from '../errors.ts';
import type { RunEventEntry } from '../evidence/index-entries.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { isUuid } from '../openlineage/identity.ts';
import { AmbiguousRunError } from '../openlineage/read-run.ts';
import { runKeyOf } from '../openlineage/run-key.ts';
import { scanText } from '../redaction/scan-text.ts';
import { type HeldRun, type Hold, isHold } from './hold.ts';
import { HoldRefusedError, invalidHold } from './hold-errors.ts';
import type { HoldIndex } from './ports.ts';

/** What a hold or a release is asked for with. */
export interface HoldRequest {
  readonly reference: string;
  /** As it is stored. */
  readonly reason: string;
  /** Whether something in it was replaced. */
  readonly isReasonRedacted: boolean;
}

/** A case number and a sentence: they stand in a locked document for years, and in every answer about the hold. */
const MAX_CHARACTERS = { reference: 200, reason: 1_000 } as const;

/** Characters that would move the cursor of who reads them, line and paragraph separators included. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Reads `{reason, reference}`. In a reason, what gives itself away as secret or personal is replaced as in any stored
 * text. A reference is refused for it: it names the hold, and two that redaction makes alike would be one hold.
 * @throws HoldRefusedError naming fields and rules
 */
export function readHoldRequest(body: unknown): HoldRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidHold([{ path: '$', rule: 'object' }]);
  }
  const isUnknown = Object.keys(body).some((name) => !Object.hasOwn(MAX_CHARACTERS, name));
  const given = body as Readonly<Record<string, unknown>>;
  const violations: readonly RuleViolation[] = [
    ...(isUnknown ? [{ path: '$', rule: 'unknown_field' }] : []),
    ...checkText(given, 'reason'),
    ...checkText(given, 'reference'),
  ];
  if (violations.length > 0) throw invalidHold(violations);
  const { reason, reference } = given as Readonly<Record<'reason' | 'reference', string>>;
  if (redacted(reference) !== reference) {
    throw invalidHold([{ path: '$.reference', rule: 'no_secret_and_no_personal_data' }]);
  }
  const stored = redacted(reason);
  return { reason: stored, isReasonRedacted: stored !== reason, reference };
}

const redacted = (text: string) => scanText(text)?.text ?? text;

function checkText(
  given: Readonly<Record<string, unknown>>,
  name: keyof typeof MAX_CHARACTERS,
): RuleViolation[] {
  const path = `$.${name}`;
  if (!Object.hasOwn(given, name)) return [{ path, rule: 'required' }];
  const value = given[name];
  const max = MAX_CHARACTERS[name];
  if (typeof value !== 'string' || value.trim() === '' || value.length > max) {
    return [{ path, rule: `text_of_1_to_${max}_characters` }];
  }
  return UNPRINTABLE.test(value) || !value.isWellFormed()
    ? [{ path, rule: 'printable_characters_of_one_line' }]
    : [];
}

/**
 * The run that a hold is to be on, or is on: one that the store knows, so that a mistyped id is found out at once and
 * nothing enters the vault that did not stand in it. A run of which nothing is left is known by its holds.
 * @param submitter a group or a producer id
 * @throws AmbiguousRunError when the id names runs of several groups, HoldRefusedError `unknown_run`
 */
export async function findRun(
  runId: string,
  submitter: string | undefined,
  { holds, index }: { readonly holds: Pick<HoldIndex, 'ofRun'>; readonly index: RunIndex },
): Promise<HeldRun> {
  const runKey = runKeyOf(runId);
  const [events, held] = await Promise.all([index.runEvents(runKey), holds.ofRun(runKey)]);
  const standing = held.filter(isHold);
  const group = groupOf(runId, submitter, events, standing);
  const isKnown =
    events.length + standing.length > 0 ||
    [...(await index.references(runKey)), ...(await index.runTraces(runKey))].length > 0;
  if (!isKnown) {
    throw new HoldRefusedError(
      'unknown',
      'unknown_run',
      'no event, span, hold or other run names this run',
    );
  }
  return { runId, runKey, ...(group !== undefined && { group }) };
}

function groupOf(
  runId: string,
  submitter: string | undefined,
  events: readonly RunEventEntry[],
  holds: readonly Hold[],
): string | undefined {
  const ofEvents = events
    .filter((event) => submitter === undefined || isOf(event, submitter))
    .map((event) => event.submitter.group);
  const ofHolds = holds
    .flatMap(({ group }) => group ?? [])
    .filter((group) => submitter === undefined || group === submitter);
  const groups = [...new Set([...ofEvents, ...ofHolds])].sort();
  if (submitter !== undefined && groups.length === 0) {
    throw new HoldRefusedError(
      'unknown',
      'unknown_run',
      'nothing of this run comes from that submitter; leave out submitter to see who sent it',
    );
  }
  if (submitter === undefined && isUuid(runId)) return undefined;
  if (groups.length > 1) throw new AmbiguousRunError(groups);
  return groups[0];
}

const isOf = ({ submitter }: RunEventEntry, name: string) =>
  submitter.group === name || submitter.producerId === name;
