import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { groupBy } from '../collections.ts';
import { UnreadableRecordError } from '../errors.ts';
import type { StreamPlane } from '../findings.ts';
import { sha256Hex } from '../store-key.ts';
import { charactersOf, type Envelope } from './envelope.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import { hourFolder, hourOf } from './hour-shard.ts';

/** An object ready to be put: lines of one consumed slice, class and acceptance hour. */
export interface EvidenceObject {
  readonly key: string;
  /** Gzipped newline-delimited JSON. */
  readonly body: Uint8Array;
  /** Hex SHA-256 of the uncompressed lines: equal for every replay of the same records. */
  readonly contentHash: string;
  readonly envelopes: readonly Envelope[];
  /** Of each envelope, as {@link leafHash}. */
  readonly leafHashes: readonly string[];
}

/**
 * An object ends with the envelope that brings them to this many characters: whoever reads a line of it has
 * to inflate all of it, query with half the memory of archive.
 */
export const MAX_OBJECT_CHARACTERS = 8 * 1024 * 1024;

/**
 * An object is cut at {@link MAX_OBJECT_CHARACTERS} and the one event that reaches them: three bytes each and escaped,
 * that stays below this. What inflates to more was not written by this store, and no reader of it inflates it.
 */
export const MAX_INFLATED_BYTES = 128 * 1024 * 1024;

/** Stored bytes of an object, gzipped: several times what the archive writes. What is larger is not inflated at all. */
export const MAX_STORED_BYTES = 64 * 1024 * 1024;

/**
 * Cuts envelopes into objects, each made when it is asked for; within one object the order of the stream is kept. The cut depends on
 * the envelopes alone, so that a replay of the same ones yields the same objects.
 */
export function* packObjects(
  plane: StreamPlane,
  envelopes: readonly Envelope[],
): Generator<EvidenceObject, void, undefined> {
  const groups = groupBy(envelopes, ({ retentionClass, acceptedAt }) =>
    folderOf(plane, retentionClass, acceptedAt),
  );
  for (const [folder, group] of groups) {
    for (const part of cut(group)) yield packObject(folder, part);
  }
}

/** `lineage/class=<c>/dt=<UTC date>/hour=<HH>/` of an acceptance time. */
function folderOf(plane: StreamPlane, retentionClass: string, acceptedAt: string): string {
  return `${EvidencePrefix[plane]}class=${retentionClass}/${hourFolder(hourOf(acceptedAt))}`;
}

function* cut(envelopes: readonly Envelope[]): Generator<readonly Envelope[]> {
  let from = 0;
  let characters = 0;
  for (const [at, envelope] of envelopes.entries()) {
    characters += charactersOf(envelope);
    if (characters < MAX_OBJECT_CHARACTERS && at < envelopes.length - 1) continue;
    yield envelopes.slice(from, at + 1);
    from = at + 1;
    characters = 0;
  }
}

/** Each envelope is printed once, for all that is made of its line. */
function packObject(folder: string, envelopes: readonly Envelope[]): EvidenceObject {
  const lines = envelopes.map((envelope) => Buffer.from(`${JSON.stringify(envelope)}\n`));
  const leafHashes = lines.map((line) => leafOf(line.subarray(0, -1)).toString('hex'));
  const content = Buffer.concat(lines);
  const contentHash = sha256Hex(content);
  const { shardId, sequenceNumber } = (envelopes[0] as Envelope).stream;
  const key = `${folder}${shardId}-${sequenceNumber}${suffixOf(contentHash)}`;
  return { key, body: gzipSync(content), contentHash, envelopes, leafHashes };
}

/** Leaf hash of a record, in hex. */
export function leafHash(envelope: Envelope): string {
  return leafOf(Buffer.from(JSON.stringify(envelope))).toString('hex');
}

const LEAF = Buffer.from([0]);

/** Leaf hash of a line (contract.md, Records): SHA-256 over 0x00 and its bytes without the newline. */
export function leafOf(line: Uint8Array): Buffer {
  // In one call: for a line of 3 KB a hash object costs more than the copy.
  return hash('sha256', Buffer.concat([LEAF, line]), 'buffer');
}

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
 * The lines of an object's bytes, in order and without their line breaks: what leaf hashes are taken over.
 * @throws UnreadableRecordError when the bytes are no evidence object
 */
export function readLines(body: Uint8Array): Generator<Buffer> {
  return linesOf(inflate(body));
}

/**
 * All envelopes of an object whose bytes are those that its key was made from; undefined for any others.
 * @throws UnreadableRecordError when the key was made from what is no evidence object
 */
export function readMatching(key: string, body: Uint8Array): Envelope[] | undefined {
  const lines = matchingLines(key, body);
  return lines && parseLines(lines);
}

/** The same, each with the {@link leafOf} its line, in hex. */
export function readMatchingLines(
  key: string,
  body: Uint8Array,
): Array<{ readonly envelope: Envelope; readonly leafHash: string }> | undefined {
  const lines = matchingLines(key, body);
  if (!lines) return undefined;
  return [...linesOf(lines)].map((line) => ({
    envelope: parseLine(line),
    leafHash: leafOf(line).toString('hex'),
  }));
}

function matchingLines(key: string, body: Uint8Array): Buffer | undefined {
  const lines = inflate(body);
  return lines && key.endsWith(suffixOf(sha256Hex(lines))) ? lines : undefined;
}

/** Undefined for what is no gzip, is cut short, or exceeds a bound. */
function inflate(body: Uint8Array): Buffer | undefined {
  if (body.length > MAX_STORED_BYTES) return undefined;
  try {
    return gunzipSync(body, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch {
    return undefined;
  }
}

function parseLines(lines: Buffer | undefined): Envelope[] {
  return [...linesOf(lines)].map(parseLine);
}

/** The lines of an object, as views into its bytes: a line break is a byte of no other character. */
function* linesOf(lines: Buffer | undefined): Generator<Buffer> {
  if (!lines?.length) throw unreadable();
  for (let start = 0; start < lines.length; ) {
    const lineBreak = lines.indexOf('\n', start);
    const end = lineBreak === -1 ? lines.length : lineBreak;
    yield lines.subarray(start, end);
    start = end + 1;
  }
}

function parseLine(line: Buffer): Envelope {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw unreadable(); // what the parser says quotes its input
  }
}

function unreadable(): UnreadableRecordError {
  return new UnreadableRecordError('object_unreadable');
}

/**
 * The envelope on one line (0-based) of an object's bytes.
 * @throws UnreadableRecordError when the object has no such line
 */
export function readLine(body: Uint8Array, line: number): Envelope {
  let at = 0;
  for (const bytes of linesOf(inflate(body))) if (at++ === line) return parseLine(bytes);
  throw new UnreadableRecordError('line_missing');
}
