import type { StreamRecord } from './model.ts';

/** What an invocation did to its batch. */
export type Outcome =
  | { readonly kind: 'success' }
  /** The whole batch failed: the function threw, or its answer names no record of the batch. */
  | { readonly kind: 'failure' }
  /** Records before `from` (an index into the batch) are done, the rest is to be tried again. */
  | { readonly kind: 'partial'; readonly from: number }
  /** The function never ran (throttled, service error): does not count against the retries. */
  | { readonly kind: 'notInvoked' };

/**
 * Reads a function's answer as AWS documents it for ReportBatchItemFailures: an empty or null answer or list is a
 * success; an empty, null, misnamed or foreign itemIdentifier fails the batch; else the lowest sequence number counts.
 */
export function readResponse(payload: string, records: readonly StreamRecord[]): Outcome {
  const failures = failuresOf(payload);
  if (failures === undefined) return { kind: 'success' };
  if (!Array.isArray(failures)) return { kind: 'failure' };
  if (failures.length === 0) return { kind: 'success' };
  const indexOf = new Map(records.map((record, index) => [record.sequenceNumber, index]));
  const indexes = failures.map((failure: unknown) => indexOf.get(identifierOf(failure) ?? ''));
  if (indexes.some((index) => index === undefined)) return { kind: 'failure' };
  return { kind: 'partial', from: Math.min(...indexes.map((index) => index ?? 0)) };
}

/** The `batchItemFailures` of an answer; undefined when the answer has none. */
function failuresOf(payload: string): unknown {
  const answer = parse(payload);
  if (typeof answer !== 'object' || answer === null) return undefined;
  return (answer as { batchItemFailures?: unknown }).batchItemFailures ?? undefined;
}

function identifierOf(failure: unknown): string | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  const identifier = (failure as { itemIdentifier?: unknown }).itemIdentifier;
  return typeof identifier === 'string' ? identifier : undefined;
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
