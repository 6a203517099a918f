import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ObjectVersion } from '../evidence/ports.ts';
import type { RetentionPolicy } from '../evidence/retention.ts';
import { canonicalJson } from '../json/canonical.ts';
import { sha256Hex } from '../store-key.ts';

/** Sequence numbers that an object holds of one shard. They have gaps by nature: a range proves order, not completeness. */
export interface SealedShard {
  readonly shardId: string;
  readonly first: string;
  readonly last: string;
  /** Distinct sequence numbers. */
  readonly records: number;
}

/** An object version as it stood when it was sealed. */
export interface SealedObject extends ObjectVersion {
  /** RFC 3339 UTC, as S3 says: decides to which digest it belongs. */
  readonly lastModified: string;
  /** Stored bytes, and their SHA-256 (hex). */
  readonly bytes: number;
  readonly sha256: string;
  /** Absent when the version is not locked. */
  readonly mode?: RetentionPolicy['mode'];
  readonly retainUntil?: string;
  /** Lines of an evidence object; 0 for every other document, which its `sha256` seals. */
  readonly records: number;
  readonly shards?: readonly SealedShard[];
  /** Of its lines; RFC 3339 UTC. */
  readonly firstAcceptedAt?: string;
  readonly lastAcceptedAt?: string;
  /** It landed in an earlier interval, whose digest had been written. */
  readonly late?: true;
  /** It could not be read: sealed by its name, size and `etag`, `sha256` is all zeros. */
  readonly unreadable?: true;
  /** As S3 lists it, of what is unreadable. */
  readonly etag?: string;
  /** An earlier digest has it as unreadable; it was read now. */
  readonly again?: true;
}

/** A version that stands among the digests and is no part of one. */
export interface StrayVersion {
  readonly key: string;
  readonly versionId: string;
  readonly lastModified: string;
  readonly deleteMarker?: true;
}

/** The stream read once more for one shard and interval of arrival, against what is stored. */
export interface Recount {
  readonly plane: 'lineage' | 'traces';
  /** `*` while the stream would not say which shards it has. */
  readonly shardId: string;
  readonly from: string;
  readonly to: string;
  /**
   * `not_recounted`: the records had left the stream. `behind`: some are not stored yet, or it could not be counted;
   * both it and `missing` are counted again by later digests.
   */
  readonly status: 'equal' | 'behind' | 'missing' | 'not_recounted';
  /** RFC 3339 UTC: the last look, which an earlier digest may have had. */
  readonly countedAt: string;
  /** Records that the stream took; absent where it could not be counted. */
  readonly accepted?: number;
  /** Those of them that are stored, or named in quarantine. */
  readonly stored?: number;
  /** Sequence numbers of the first that are not. */
  readonly missing?: readonly string[];
}

/** What landed in the vault in one interval. Written once, canonical JSON (RFC 8785), signed. */
export interface Digest {
  readonly digest: 1;
  /** Its own place: a copy elsewhere does not verify. */
  readonly location: { readonly bucket: string; readonly key: string };
  /** 0 for the first of a chain. */
  readonly number: number;
  /** Half-open interval of `lastModified`; RFC 3339 UTC. */
  readonly from: string;
  readonly to: string;
  readonly sealedAt: string;
  /** What the digest was put with, and is locked with at least. Digests of older stores do not say it. */
  readonly lock?: { readonly mode: RetentionPolicy['mode']; readonly retainUntil: string };
  /** Null for the first. `sha256` is that of the document's bytes, `signature` is base64. */
  readonly previous: {
    readonly key: string;
    readonly sha256: string;
    readonly signature: string;
    /** The latest end that its own `lock`, or that of any digest before it, promised. Absent where its own promised nothing. */
    readonly retainUntil?: string;
  } | null;
  readonly signer: { readonly algorithm: 'ECDSA_SHA_256'; readonly fingerprint: string };
  /** The key that later digests may be signed with; announced under the old one. */
  readonly nextSigner?: { readonly fingerprint: string };
  /** Where heads are sent outside the account. */
  readonly anchor: string | typeof UNANCHORED;
  /** In the order of their keys, then of their version ids. */
  readonly objects: readonly SealedObject[];
  /** Lines of all objects: the leaves of the tree, in the order of objects and lines. */
  readonly records: number;
  /** Root of the tree (hex). */
  readonly root: string;
  /** The leaf hashes, 32 bytes each, as an object beside the digest; null when there is no record. */
  readonly leaves: { readonly key: string; readonly sha256: string } | null;
  readonly recounts: readonly Recount[];
  /** Why it was written so long after its interval; absent when it was not. */
  readonly delayed?: { readonly seconds: number; readonly cause: string };
  /**
   * What stood in its usual place, which it therefore left alone: a document that no sealer wrote, or what is left of a
   * digest whose document is gone. The first of them.
   */
  readonly displacedBy?: readonly StrayVersion[];
}

/** Late objects in one digest: bounds its size, and what one interval costs. The digest after a full one goes on. */
export const MAX_LATE = 1_000;

/** What a digest says where no head leaves the account. */
export const UNANCHORED = 'unanchored';

/** A key of the chain: `digests/dt=<UTC date>/<from without colons>`, `_<n>` where other places were taken, and an ending. */
const ENDINGS = { document: '.json', signature: '.sig', leaves: '.leaves' } as const;

/**
 * The object of a digest that begins at an instant (RFC 3339 UTC, whole seconds).
 * @param nth place of it: 0 is the usual one, the next are for a digest that found it taken
 */
export function digestKey(from: string, part: keyof typeof ENDINGS = 'document', nth = 0): string {
  const name = `${from.slice(0, 19).replaceAll(':', '')}Z${nth > 0 ? `_${nth}` : ''}`;
  return `${EvidencePrefix.digests}dt=${from.slice(0, 10)}/${name}${ENDINGS[part]}`;
}

const DIGEST_NAME = /(\d{4}-\d\d-\d\dT\d\d)(\d\d)(\d\d)Z(?:_([1-9]\d{0,5}))?\.json$/;

/** When the interval of a digest begins, in milliseconds, by its key; NaN for any other key. */
export function digestBegin(key: string): number {
  const [, hour, minutes, seconds] = DIGEST_NAME.exec(key) ?? [];
  return Date.parse(`${hour}:${minutes}:${seconds}Z`);
}

/** The object beside a digest's document. */
export function besideDigest(key: string, part: 'signature' | 'leaves'): string {
  return `${key.slice(0, -ENDINGS.document.length)}${ENDINGS[part]}`;
}

/** Whether a key is that of a digest's document. */
export function isDigestKey(key: string): boolean {
  return key.startsWith(EvidencePrefix.digests) && key.endsWith(ENDINGS.document);
}

/** Whether a key is a place of a digest that begins when it says. */
export function isDigestPlace(key: string): boolean {
  const begin = digestBegin(key);
  return Number.isFinite(begin) && isPlaceOf(key, new Date(begin).toISOString());
}

/** Whether a digest that begins at an instant (RFC 3339 UTC) may have this key. */
export function isPlaceOf(key: string, from: string): boolean {
  const nth = Number(DIGEST_NAME.exec(key)?.[4] ?? 0);
  return key === digestKey(from, 'document', nth);
}

/** The document that a key below `digests/` is or stands beside; undefined for one that no sealer writes. */
export function documentOf(key: string): string | undefined {
  const document = key.replace(/(\.sig|\.leaves)$/, ENDINGS.document);
  return isDigestPlace(document) ? document : undefined;
}

/** Object metadata of a digest that holds its signature (base64), as the `.sig` beside it does. */
export const SIGNATURE_METADATA = 'signature';

/** What is hashed, signed and stored. */
export function digestBytes(digest: Digest): Buffer {
  return Buffer.from(canonicalJson(digest));
}

/** `public-keys/<fingerprint>.pem`: SPKI; the fingerprint is the SHA-256 (hex) of its DER form. */
export function publicKeyKey(fingerprint: string): string {
  return `${EvidencePrefix.publicKeys}${fingerprint}.pem`;
}

export function fingerprintOf(spkiDer: Uint8Array): string {
  return sha256Hex(spkiDer);
}

/** Whether an object is evidence of records, whose lines are leaves; any other is sealed by its bytes alone. */
export function holdsRecords(key: string): boolean {
  const folders = [EvidencePrefix.lineage, EvidencePrefix.traces];
  return key.endsWith('.ndjson.gz') && folders.some((folder) => key.startsWith(folder));
}

/** Whether digests list an object: the chain holds its own parts itself. */
export function isSealed(key: string): boolean {
  return !key.startsWith(EvidencePrefix.digests);
}
