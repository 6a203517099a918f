import { errorCode } from '../errors.ts';
import type { Redaction } from '../evidence/envelope.ts';
import type { EpochKey } from '../evidence/keyed-hash.ts';
import type { JsonDocument } from '../json/document.ts';
import type { SubjectPseudonyms } from '../subjects/pseudonym.ts';
import type { RedactionFacts } from './fact-list.ts';
import type { Place, Places } from './places.ts';
import type { RedactionPolicy } from './policy.ts';
import { redactDocument } from './redact-document.ts';
import { ValueRedactor } from './redact-value.ts';

/** How a record is redacted: by the policy that is in force, with the key of its epoch. */
export interface RedactionSettings {
  readonly policy: RedactionPolicy;
  readonly key: EpochKey;
  /** @default - every subject is dropped */
  readonly subjects?: SubjectPseudonyms;
}

interface Stored {
  readonly text: string;
  readonly redaction: Redaction;
  readonly facts: RedactionFacts;
}

/** Builds what may be kept of a document that was not redacted; its error is the caller's. */
export type SkeletonOf = (document: JsonDocument, redactor: ValueRedactor) => string;

/** What is stored of a document: redacted, or reduced to its skeleton when the redactor cannot finish. */
export function redactOrReduce<P extends Place>(
  document: JsonDocument,
  places: Places<P>,
  settings: RedactionSettings,
  skeletonOf: SkeletonOf,
): Stored {
  try {
    const { text, fields, facts } = redactDocument(document, places, redactorOf(settings));
    return { text, redaction: { policy: settings.policy.id, mode: 'full', fields }, facts };
  } catch (error) {
    return reduce(document, settings, skeletonOf, errorCode(error));
  }
}

/**
 * The skeleton of a document, without a try to redact it.
 * @param reason a code, stored with it
 */
export function reduce(
  document: JsonDocument,
  settings: RedactionSettings,
  skeletonOf: SkeletonOf,
  reason: string,
): Stored {
  const redaction: Redaction = { policy: settings.policy.id, mode: 'skeleton', reason, fields: [] };
  return { text: skeletonOf(document, redactorOf(settings)), redaction, facts: {} };
}

function redactorOf({ policy, key, subjects }: RedactionSettings): ValueRedactor {
  const { exactFingerprints } = policy.rules;
  return new ValueRedactor({ key, exactFingerprints, ...(subjects && { subjects }) });
}
