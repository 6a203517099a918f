import { JsonDocument } from '../../lambdas/domain/json/document.ts';
import { dialectOfEvent } from '../../lambdas/domain/redaction/event-dialect.ts';
import { eventPlaces } from '../../lambdas/domain/redaction/event-places.ts';
import { type RedactionPolicy, STRICT } from '../../lambdas/domain/redaction/policy.ts';
import {
  type RedactedDocument,
  redactDocument,
} from '../../lambdas/domain/redaction/redact-document.ts';
import { ValueRedactor } from '../../lambdas/domain/redaction/redact-value.ts';
import { spanPlaces } from '../../lambdas/domain/redaction/span-places.ts';
import { EPOCH_KEY } from './builders.ts';

/** What is stored of the text of an event, outside of a record. */
export function redactEvent(
  text: string,
  { policy = STRICT, maxWork }: { policy?: RedactionPolicy; maxWork?: number } = {},
): RedactedDocument {
  const document = new JsonDocument(text);
  const places = eventPlaces(policy, dialectOfEvent(document, policy.dialectFor));
  return redactDocument(document, places, valueRedactor(policy), maxWork);
}

/** The same of the text of an export of traces. */
export function redactSpans(
  text: string,
  {
    policy = STRICT,
    runIdAttributes = ['lineage.run_id'],
    maxWork,
  }: { policy?: RedactionPolicy; runIdAttributes?: readonly string[]; maxWork?: number } = {},
): RedactedDocument {
  const places = spanPlaces(policy, runIdAttributes);
  return redactDocument(new JsonDocument(text), places, valueRedactor(policy), maxWork);
}

export function valueRedactor({ rules }: RedactionPolicy = STRICT): ValueRedactor {
  return new ValueRedactor({ key: EPOCH_KEY, exactFingerprints: rules.exactFingerprints });
}
