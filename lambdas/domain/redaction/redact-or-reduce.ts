import type { Redaction } from '../evidence/envelope.ts';
import type { JsonDocument } from '../json/document.ts';
import { redactWholeValues, type ValuePolicy } from './whole-value.ts';

interface Stored {
  readonly text: string;
  readonly redaction: Redaction;
}

/**
 * What is stored of a document: redacted, or reduced to its skeleton when the redactor cannot finish.
 * @param skeletonOf builds what may be kept without redaction; its error is the caller's
 */
export function redactOrReduce(
  document: JsonDocument,
  policy: ValuePolicy,
  skeletonOf: (document: JsonDocument) => string,
): Stored {
  try {
    const { text, fields } = redactWholeValues(document, policy);
    return { text, redaction: { policy: policy.id, mode: 'full', fields } };
  } catch {
    return reduce(document, policy, skeletonOf);
  }
}

/** The skeleton of a document, without a try to redact it. */
export function reduce(
  document: JsonDocument,
  policy: ValuePolicy,
  skeletonOf: (document: JsonDocument) => string,
): Stored {
  const redaction: Redaction = { policy: policy.id, mode: 'skeleton', fields: [] };
  return { text: skeletonOf(document), redaction };
}
