import { gunzipSync, gzipSync } from 'node:zlib';
import type { StreamPlane } from '../audit/findings.ts';
import { groupBy } from '../collections.ts';
import { UnreadableRecordError } from '../errors.ts';
import type { Envelope } from './envelope.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import { hourFolder, hourOf } from './hour-shard.ts';
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
  return `${EvidencePrefix[plane]}class=${retentionClass}/${hourFolder(hourOf(acceptedAt))}`;
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

function suffixOf(contentHash: string): string {
  return `-${contentHash}.ndjson.gz`;
}

/**
 * All envelopes of an object's bytes, in order.
 * @throws UnreadableRecordError when the bytes are no evidence object
 */
export function readEnvelopes(body: Uint8Array): Envelope[] {
  return parseLines(inflate(body));
}

/**
 * All envelopes of an object whose bytes are those that its key was made from; undefined for any others.
 * @throws UnreadableRecordError when the key was made from what is no evidence object
 */
export function readMatching(key: string, body: Uint8Array): Envelope[] | undefined {
  const lines = inflate(body);
  return lines && key.endsWith(suffixOf(sha256Hex(lines))) ? parseLines(lines) : undefined;
}

function inflate(body: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(body);
  } catch {
    return undefined;
  }
}

function parseLines(lines: Buffer | undefined): Envelope[] {
  try {
    if (lines)
      return lines
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
  } catch {
    // said below: what the parser says quotes its input
  }
  throw new UnreadableRecordError('object_unreadable');
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
