import { UnreadableRecordError } from '../errors.ts';
import { firstDelivery } from '../openlineage/run-fold.ts';
import type { EpochKeys, ObjectReader, RunIndex } from '../ports.ts';
import type { Envelope } from './envelope.ts';
import { readLine } from './evidence-object.ts';
import type { DeliveryEntry } from './index-entries.ts';
import { openReceipt, receiptEpoch } from './receipt.ts';

export interface ReadDeliveryDependencies {
  readonly index: RunIndex;
  readonly reader: ObjectReader;
  readonly epochKeys: EpochKeys;
}

/** What a receipt stands for at the moment. */
export type DeliveryState =
  | { readonly status: 'pending'; readonly acceptedAt: string }
  | { readonly status: 'quarantined'; readonly entry: DeliveryEntry }
  /** The row is all that is left: an audit names the loss, and no answer may hide it. */
  | { readonly status: 'missing'; readonly entry: DeliveryEntry }
  | { readonly status: 'stored'; readonly entry: DeliveryEntry; readonly envelope: Envelope };

/**
 * Finds the delivery that a receipt names. Undefined for a receipt that this store never issued.
 * @throws UnavailableError when a store does not answer
 */
export async function readDelivery(
  receiptId: string,
  { index, reader, epochKeys }: ReadDeliveryDependencies,
): Promise<DeliveryState | undefined> {
  const epoch = receiptEpoch(receiptId);
  const key = epoch === undefined ? undefined : await epochKeys.byEpoch(epoch);
  const receipt = key && openReceipt(key, receiptId);
  if (!receipt) return undefined;
  const entry = await index.delivery(receiptId);
  if (!entry) {
    return { status: 'pending', acceptedAt: new Date(receipt.acceptedAtMillis).toISOString() };
  }
  if (entry.kind === 'quarantine') return { status: 'quarantined', entry };
  try {
    const { location } = entry;
    return {
      status: 'stored',
      entry,
      envelope: readLine(await reader.read(location), location.line),
    };
  } catch (error) {
    if (error instanceof UnreadableRecordError) return { status: 'missing', entry };
    throw error;
  }
}

/** The first receipt of the same bytes from the same producer; undefined when this one is the first. */
export async function originalOf(
  { runKey, receiptId, submitter, receivedHmac }: DeliveryEntry,
  index: RunIndex,
): Promise<string | undefined> {
  if (runKey === undefined) return undefined;
  const same = (await index.runEvents(runKey)).filter(
    (event) =>
      event.submitter.producerId === submitter.producerId && event.receivedHmac === receivedHmac,
  );
  const first = same.length > 0 ? firstDelivery(same).receiptId : receiptId;
  return first === receiptId ? undefined : first;
}
