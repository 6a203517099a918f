import { TooLargeError } from '../errors.ts';
import type { Registration } from '../producers/registration.ts';
import { type EpochKey, keyedHash } from './keyed-hash.ts';
import type { OutgoingRecord } from './ports.ts';
import { issueReceipt } from './receipt.ts';
import { encodeStreamRecord } from './stream-record.ts';

/** What one request knows about all deliveries in it. */
export interface Acceptance {
  readonly registration: Registration;
  readonly epochKey: EpochKey;
  readonly acceptedAtMillis: number;
  /** A fresh UUIDv7 whose time is `acceptedAtMillis`. */
  readonly newDeliveryId: () => string;
  /** Record size the stream takes, partition key included. */
  readonly maxRecordBytes: number;
}

/** A delivery that is ready for the stream, and what its sender is told once the stream has it. */
export interface AcceptedDelivery {
  readonly receiptId: string;
  readonly acceptedAt: string;
  readonly deviations: readonly string[];
  readonly record: OutgoingRecord;
}

export interface Delivery {
  /** Bytes as received, over which the keyed hash goes: retried deliveries are byte-identical. */
  readonly received: Uint8Array;
  /** Bytes to keep; without a byte order mark. */
  readonly body: Uint8Array;
  readonly partitionKey: string;
  /** Departures that the body cannot show any more. */
  readonly receiverDeviations: readonly string[];
  /** Departures to tell the sender about: the receiver's and the document's. */
  readonly deviations: readonly string[];
}

/**
 * Gives a delivery its receipt and frames it for the stream.
 * @throws TooLargeError when the framed record is larger than the stream takes
 */
export function acceptDelivery(delivery: Delivery, acceptance: Acceptance): AcceptedDelivery {
  const { registration, epochKey, acceptedAtMillis } = acceptance;
  const receiptId = issueReceipt(epochKey, acceptance.newDeliveryId());
  const acceptedAt = new Date(acceptedAtMillis).toISOString();
  const data = encodeStreamRecord({
    head: {
      receiptId,
      acceptedAt,
      submitter: { producerId: registration.producerId, group: registration.group },
      retentionClass: registration.retentionClass,
      ...(registration.basis && { registeredBasis: registration.basis }),
      received: {
        epoch: epochKey.epoch,
        hmac: keyedHash(epochKey, 'received/1', delivery.received),
      },
      deviations: delivery.receiverDeviations,
    },
    body: delivery.body,
  });
  if (data.length + delivery.partitionKey.length > acceptance.maxRecordBytes) {
    throw new TooLargeError('the event, compressed,', acceptance.maxRecordBytes);
  }
  const deviations = [...new Set([...delivery.receiverDeviations, ...delivery.deviations])].sort();
  return {
    receiptId,
    acceptedAt,
    deviations,
    record: { partitionKey: delivery.partitionKey, data },
  };
}
