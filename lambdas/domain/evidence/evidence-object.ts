import { gunzipSync, gzipSync } from 'node:zlib';
import type { StreamPlane } from '../audit/findings.ts';
import { groupBy } from '../collections.ts';
import { UnreadableRecordError } from '../errors.ts';
import type { Envelope } from './envelope.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import { sha256Hex } from './store-key.ts';

/** An object ready to be put: one consumed batch, class and acceptance hour. */
export interface EvidenceObject {
  readonly key: string;
  /** Gzipped newline-delimited JSON. */
  readonly body: Uint8Array;
  /** Hex SHA-256 of the uncompressed lines: equal for every replay of the same records. */
  readonly contentHash: string;
  readonly envelopes: readonly Envelope[];
}

/** Cuts the envelopes of a batch into objects; within one object the order of the stream is kept. */
export function packObjects(plane: StreamPlane, envelopes: readonly Envelope[]): EvidenceObject[] {
  const groups = groupBy(envelopes, ({ retentionClass, acceptedAt }) =>
    folderOf(plane, retentionClass, acceptedAt),
  );
  return [...groups].map(([folder, group]) => packObject(folder, group));
}

/** `lineage/class=<c>/dt=<UTC date>/hour=<HH>/` of an acceptance time. */
function folderOf(plane: StreamPlane, retentionClass: string, acceptedAt: string): string {
  const at = new Date(acceptedAt).toISOString();
  return `${EvidencePrefix[plane]}class=${retentionClass}/dt=${at.slice(0, 10)}/hour=${at.slice(11, 13)}/`;
}

function packObject(folder: string, envelopes: readonly Envelope[]): EvidenceObject {
  const lines = Buffer.from(
    `${envelopes.map((envelope) => JSON.stringify(envelope)).join('\n')}\n`,
  );
  const contentHash = sha256Hex(lines);
  const { shardId, sequenceNumber } = (envelopes[0] as Envelope).stream;
  return {
    key: `${folder}${shardId}-${sequenceNumber}${suffixOf(contentHash)}`,
    body: gzipSync(lines),
    contentHash,
    envelopes,
  };
}

/** Leaf hash of a record (contract.md, Records): SHA-256 over 0x00 and its line without the newline, in hex. */
export function leafHash(envelope: Envelope): string {
  return sha256Hex(Buffer.concat([LEAF, Buffer.from(JSON.stringify(envelope))]));
}

const LEAF = Buffer.from([0]);

/** Whether an object's bytes are those that its key was made from. */
export function matchesKey(key: string, body: Uint8Array): boolean {
  try {
    return key.endsWith(suffixOf(sha256Hex(gunzipSync(body))));
  } catch {
    return false;
  }
}

function suffixOf(contentHash: string): string {
  return `-${contentHash}.ndjson.gz`;
}

/**
 * All envelopes of an object's bytes, in order.
 * @throws UnreadableRecordError when the bytes are no evidence object
 */
export function readEnvelopes(body: Uint8Array): Envelope[] {
  try {
    const lines = gunzipSync(body).toString('utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Envelope);
  } catch {
    throw new UnreadableRecordError('object_unreadable');
  }
}

/**
 * The envelope on one line (0-based) of an object's bytes.
 * @throws UnreadableRecordError when the object has no such line
 */
export function readLine(body: Uint8Array, line: number): Envelope {
  const envelope = readEnvelopes(body)[line];
  if (!envelope) throw new UnreadableRecordError('line_missing');
  return envelope;
}
