import type { BatchItem } from '../domain/openlineage/accept-batch.ts';

/**
 * The answer of the batch route (contract.md, Writing).
 * @param acknowledged for each accepted item, in order, whether the stream has it
 */
export function batchAnswer(items: readonly BatchItem[], acknowledged: readonly boolean[]) {
  const receipts: unknown[] = [];
  const failed: Array<{ index: number; reason: string; retriable: boolean }> = [];
  let next = 0;
  for (const item of items) {
    if ('refused' in item) {
      failed.push({ index: item.index, reason: item.refused, retriable: false });
    } else if (acknowledged[next++]) {
      const { receiptId, acceptedAt, deviations } = item.accepted;
      receipts.push({ index: item.index, receiptId, acceptedAt, deviations });
    } else {
      failed.push({ index: item.index, reason: 'not acknowledged by the stream', retriable: true });
    }
  }
  const retriable = failed.filter((item) => item.retriable).length;
  return {
    status: failed.length === 0 ? 'success' : 'partial_success',
    summary: {
      received: items.length,
      successful: receipts.length,
      failed: failed.length,
      retriable,
      non_retriable: failed.length - retriable,
    },
    receipts,
    failed_events: failed,
  };
}
