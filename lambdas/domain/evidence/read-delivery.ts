import { UnreadableRecordError } from '../errors.ts';
import { firstDelivery } from '../openlineage/run-fold.ts';
import type { Envelope } from './envelope.ts';
import { leafHash, readLine } from './evidence-object.ts';
import type { DeliveryEntry } from './index-entries.ts';
import type { Clock, EpochKeys, ObjectReader } from './ports.ts';
import { openReceipt, receiptEpoch } from './receipt.ts';
import type { RunIndex } from './run-index.ts';

export interface ReadDeliveryDependencies {
  readonly index: RunIndex;
  readonly reader: ObjectReader;
  readonly epochKeys: EpochKeys;
  readonly clock: Clock;
}

/** What is not archived after an hour waits for a person: the alarm on the failure queue fires at the same age. */
const OVERDUE_AFTER_MILLIS = 3_600_000;

/** What a receipt stands for at the moment. */
export type DeliveryState =
  | { readonly status: 'pending'; readonly acceptedAt: string; readonly overdue: boolean }
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
  { index, reader, epochKeys, clock }: ReadDeliveryDependencies,
): Promise<DeliveryState | undefined> {
  const acceptedAtMillis = await issuedAt(receiptId, { epochKeys });
  if (acceptedAtMillis === undefined) return undefined;
  const entry = await index.delivery(receiptId);
  if (!entry) {
    const overdue = clock() - acceptedAtMillis > OVERDUE_AFTER_MILLIS;
    return { status: 'pending', acceptedAt: new Date(acceptedAtMillis).toISOString(), overdue };
  }
  if (entry.kind === 'quarantine') return { status: 'quarantined', entry };
  try {
    const { location } = entry;
    const envelope = readLine(await reader.read(location), location.line);
    // A row that points at another line must not pass that line off as this delivery.
    const isItself = envelope.receiptId === receiptId && leafHash(envelope) === entry.leafHash;
    return isItself ? { status: 'stored', entry, envelope } : { status: 'missing', entry };
  } catch (error) {
    if (error instanceof UnreadableRecordError) return { status: 'missing', entry };
    throw error;
  }
}

/** When a receipt was issued, in milliseconds; undefined for one that this store never issued. @throws UnavailableError */
export async function issuedAt(
  receiptId: string,
  { epochKeys }: Pick<ReadDeliveryDependencies, 'epochKeys'>,
): Promise<number | undefined> {
  const epoch = receiptEpoch(receiptId);
  const key = epoch === undefined ? undefined : await epochKeys.byEpoch(epoch);
  return key && openReceipt(key, receiptId)?.acceptedAtMillis;
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
