import { timingSafeEqual } from 'node:crypto';
import { type EpochKey, keyedHash } from './keyed-hash.ts';

/** 128 bits: no receipt can be guessed, and the id stays short enough for a URL path. */
const TAG_HEX_DIGITS = 32;
const RECEIPT = /^r(\d{1,6})_([0-9a-f]{12})([0-9a-f]{20})_([0-9a-f]{32})$/;

/** What a receipt says of itself once its tag has been checked. */
export interface Receipt {
  readonly epoch: number;
  readonly acceptedAtMillis: number;
}

/**
 * Names one delivery: `r<epoch>_<UUIDv7 as hex>_<tag>`. The tag lets the store tell a receipt it
 * issued and has not filed yet from one it never issued, without keeping a list of them.
 * @param deliveryId a UUIDv7; its first 48 bits are the time of acceptance in milliseconds
 */
export function issueReceipt(key: EpochKey, deliveryId: string): string {
  const id = `r${key.epoch}_${deliveryId.replaceAll('-', '')}`;
  return `${id}_${tag(key, id)}`;
}

/** Form of a receipt: its epoch, to choose the key that can check it. Undefined for anything else. */
export function receiptEpoch(receiptId: string): number | undefined {
  const parts = RECEIPT.exec(receiptId);
  return parts ? Number(parts[1]) : undefined;
}

/** When a receipt says that it was issued, in milliseconds: unchecked, good for finding it. Undefined for any other text. */
export function receiptTime(receiptId: string): number | undefined {
  const parts = RECEIPT.exec(receiptId);
  return parts ? Number.parseInt(parts[2] as string, 16) : undefined;
}

/** Checks the tag in constant time. Undefined when this store never issued the receipt. */
export function openReceipt(key: EpochKey, receiptId: string): Receipt | undefined {
  const parts = RECEIPT.exec(receiptId);
  if (!parts || Number(parts[1]) !== key.epoch) return undefined;
  const id = receiptId.slice(0, receiptId.lastIndexOf('_'));
  const genuine = timingSafeEqual(Buffer.from(tag(key, id)), Buffer.from(parts[4] as string));
  if (!genuine) return undefined;
  return { epoch: key.epoch, acceptedAtMillis: Number.parseInt(parts[2] as string, 16) };
}

function tag(key: EpochKey, id: string): string {
  return keyedHash(key, 'receipt/1', id).slice(0, TAG_HEX_DIGITS);
}
