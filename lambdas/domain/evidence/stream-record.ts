import { gunzipSync, gzipSync } from 'node:zlib';
import { UnreadableRecordError } from '../errors.ts';
import type { RegisteredBasis } from '../producers/registration.ts';

/** The authenticated producer of a delivery, as registered. Never called actor: it is who sent, not who acted. */
export interface Submitter {
  readonly producerId: string;
  /** Producers of one group may speak about the same runs. */
  readonly group: string;
}

/** What ingest knows of a delivery and the body cannot say. */
export interface RecordHead {
  readonly receiptId: string;
  /** RFC 3339 UTC, milliseconds, of our own clock. */
  readonly acceptedAt: string;
  readonly submitter: Submitter;
  /** Retention class of the submitter's registration. */
  readonly retentionClass: string;
  /** Evidential basis by registration, of a producer that has one. */
  readonly registeredBasis?: RegisteredBasis;
  /** Keyed hash of the exact bytes received, and the epoch of its key. */
  readonly received: { readonly epoch: number; readonly hmac: string };
  /** Departures that only the receiver could see, such as a byte order mark. */
  readonly deviations: readonly string[];
}

/** A delivery on its way through the stream: head and the body bytes as accepted. */
export interface StreamRecord {
  readonly head: RecordHead;
  readonly body: Uint8Array;
}

type EncodedHead = RecordHead & { readonly record: 1; readonly encoding: 'identity' | 'gzip' };

const NEWLINE = 0x0a;
/** Inflated bodies are bounded by what ingest accepts; a record that grows beyond it is not ours. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Compressing an event of 2 KB takes as long as everything else that ingest does with it, and saves
 * nothing that is counted: Kinesis bills by 25 KB and takes 1,000 records a second on a shard anyway.
 */
const COMPRESS_FROM_BYTES = 4 * 1024;

/** Bytes for the stream: the head as one line of JSON, then the body, gzipped when it is large and that is smaller. */
export function encodeStreamRecord({ head, body }: StreamRecord): Uint8Array {
  const packed = body.length < COMPRESS_FROM_BYTES ? body : gzipSync(body);
  const smaller = packed.length < body.length;
  const encoded: EncodedHead = { record: 1, ...head, encoding: smaller ? 'gzip' : 'identity' };
  return Buffer.concat([Buffer.from(`${JSON.stringify(encoded)}\n`), smaller ? packed : body]);
}

/** @throws UnreadableRecordError when there is no readable head or body */
export function decodeStreamRecord(bytes: Uint8Array): StreamRecord {
  const { head, encoding, bodyStart } = readHead(bytes);
  const body = bytes.subarray(bodyStart);
  if (encoding === 'identity') return { head, body };
  try {
    return { head, body: gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) };
  } catch {
    throw new UnreadableRecordError('body_unreadable');
  }
}

/** The epoch alone, which is needed before the rest is. @throws UnreadableRecordError when there is no readable head */
export function epochOf(bytes: Uint8Array): number {
  return readHead(bytes).head.received.epoch;
}

/** The head alone, for a record whose body cannot be used; undefined when that is unreadable too. */
export function decodeHead(bytes: Uint8Array): RecordHead | undefined {
  try {
    return readHead(bytes).head;
  } catch {
    return undefined;
  }
}

function readHead(bytes: Uint8Array) {
  const newline = bytes.indexOf(NEWLINE);
  if (newline === -1) throw new UnreadableRecordError('head_missing');
  let encoded: EncodedHead;
  try {
    encoded = JSON.parse(Buffer.from(bytes.subarray(0, newline)).toString('utf8'));
  } catch {
    throw new UnreadableRecordError('head_unreadable');
  }
  if (!isHead(encoded)) throw new UnreadableRecordError('head_unreadable');
  const {
    receiptId,
    acceptedAt,
    submitter,
    retentionClass,
    registeredBasis,
    received,
    deviations,
  } = encoded;
  return {
    head: {
      ...{ receiptId, acceptedAt, submitter, retentionClass },
      ...(registeredBasis && { registeredBasis }),
      ...{ received, deviations },
    },
    encoding: encoded.encoding,
    bodyStart: newline + 1,
  };
}

/** Longest text in a head: index rows are made of it, and one that no table takes would block its shard. */
const MAX_HEAD_TEXT = 256;
const MAX_HEAD_DEVIATIONS = 50;
const RETENTION_CLASS = /^[a-z][a-z0-9-]{0,31}$/;
/** Folders and locks are made of it; Date.parse would also take comments and years beyond every lock. */
const ACCEPTED_AT = /^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Only ingest writes to the stream, but a stranger with PutRecord must not steer a path, a class or a lock. */
function isHead(value: unknown): value is EncodedHead {
  const head = value as Partial<EncodedHead> | null;
  return (
    typeof head === 'object' &&
    head !== null &&
    head.record === 1 &&
    (head.encoding === 'identity' || head.encoding === 'gzip') &&
    isHeadText(head.receiptId) &&
    isHeadText(head.acceptedAt) &&
    ACCEPTED_AT.test(head.acceptedAt) &&
    !Number.isNaN(Date.parse(head.acceptedAt)) &&
    isHeadText(head.submitter?.producerId) &&
    isHeadText(head.submitter.group) &&
    isHeadText(head.retentionClass) &&
    RETENTION_CLASS.test(head.retentionClass) &&
    isHeadBasis(head.registeredBasis) &&
    isHeadText(head.received?.hmac) &&
    Number.isSafeInteger(head.received.epoch) &&
    Array.isArray(head.deviations) &&
    head.deviations.length <= MAX_HEAD_DEVIATIONS &&
    head.deviations.every(isHeadText)
  );
}

function isHeadBasis(basis: RecordHead['registeredBasis']): boolean {
  if (basis === undefined) return true;
  return isHeadText(basis?.derivation) && isHeadText(basis?.completeness);
}

function isHeadText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_HEAD_TEXT;
}
