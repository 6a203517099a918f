import { AccessDeniedError, UnreadableRecordError } from '../errors.ts';
import type { DeliveryEntry } from '../evidence/index-entries.ts';
import { issuedAt, type ReadDeliveryDependencies } from '../evidence/read-delivery.ts';
import type { Location, VersionInspector } from '../ports.ts';
import { HASH_BYTES, inclusionPath, type ProofStep, rootOfPath } from './merkle.ts';
import { type ProofDigests, placeIn, type ReadDigest, SignedDigests } from './proof-digests.ts';
import { findSealing, type Unsealed } from './proof-search.ts';

export interface ProveDependencies extends ReadDeliveryDependencies {
  readonly inspector: VersionInspector;
}

/** What shows, with SHA-256 and the signer's public key alone, that one record was sealed. */
interface RecordProof {
  readonly receiptId: string;
  readonly traceId?: string;
  /** Where the line lies; `line` is 0-based. */
  readonly object: Location;
  /** Hex SHA-256 of 0x00 and the line without its newline. */
  readonly leaf: string;
  /** Of the leaf among all leaves of the digest. */
  readonly index: number;
  readonly leaves: number;
  /** From the leaf to the root. */
  readonly path: readonly ProofStep[];
  readonly root: string;
  readonly digest: {
    readonly key: string;
    readonly versionId: string;
    readonly number: number;
    readonly from: string;
    readonly to: string;
    /** Hex, of the document's bytes: what is signed. */
    readonly sha256: string;
    /** Base64 (DER), verified. */
    readonly signature: string;
    /** Names the public key, `public-keys/<fingerprint>.pem`. */
    readonly fingerprint: string;
  };
}

export type Provability =
  | { readonly status: 'sealed'; readonly proof: RecordProof }
  /** Accepted, and not sealed yet. */
  | ({ readonly status: 'pending' | 'late'; readonly acceptedAt: string } & Partial<Unsealed>)
  | { readonly status: NotProvable }
  /** The receipt stands over a line for each of these traces. */
  | { readonly status: 'ambiguous'; readonly traceIds: readonly string[] };

/** `contradicted`: the chain is damaged, or does not have what the index names. */
export type NotProvable =
  | 'quarantined'
  | 'staged'
  | 'missing'
  | 'no_such_trace'
  | 'too_large'
  | 'contradicted';

/** Leaves that are hashed for one answer, some seconds: a digest of more records is for the command line. */
const MAX_LEAVES = 2_000_000;

/**
 * Proves that the line of a receipt is sealed. Undefined for a receipt that this store never issued.
 * @param traceId which line, where an export left one for each of its traces
 * @throws UnavailableError, AccessDeniedError when a store does not answer
 */
export async function proveRecord(
  receiptId: string,
  traceId: string | undefined,
  dependencies: ProveDependencies,
): Promise<Provability | undefined> {
  const issuedAtMillis = await issuedAt(receiptId, dependencies);
  if (issuedAtMillis === undefined) return undefined;
  const rows = await dependencies.index.deliveries(receiptId);
  const lines = rows.filter(({ kind }) => kind !== 'quarantine');
  if (rows.length === 0) {
    return { status: 'pending', acceptedAt: new Date(issuedAtMillis).toISOString() };
  }
  if (lines.length === 0) return { status: 'quarantined' };
  const wanted = lines.filter((row) => traceId === undefined || row.traceId === traceId);
  const [row] = wanted;
  if (!row) return { status: 'no_such_trace' };
  if (wanted.length > 1) {
    return { status: 'ambiguous', traceIds: wanted.flatMap((line) => line.traceId ?? []).sort() };
  }
  if (row.governed === false) return { status: 'staged' };
  try {
    return await proveRow(row, dependencies);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return { status: 'contradicted' };
    throw error;
  }
}

async function proveRow(row: DeliveryEntry, dependencies: ProveDependencies): Promise<Provability> {
  const { location, acceptedAt } = row;
  const state = await dependencies.inspector.inspect(location);
  if (state.status === 'denied') throw new AccessDeniedError('s3');
  if (state.status === 'missing') return { status: 'missing' };
  const digests = new SignedDigests(location.bucket, dependencies);
  const landed = { ...location, lastModified: state.lastModified };
  const found = await findSealing(landed, digests, dependencies.clock());
  if (!('digest' in found)) return { acceptedAt, ...found };
  return proveIn(row, found, digests, dependencies);
}

async function proveIn(
  { receiptId, traceId, location, leafHash }: DeliveryEntry,
  { version, digest, sha256, signature }: ReadDigest,
  digests: ProofDigests,
  { reader }: ProveDependencies,
): Promise<Provability> {
  const place = placeIn(digest, location);
  const readAt = async (key: string | undefined) => {
    const listed = key === undefined ? undefined : await digests.at(key);
    return listed && reader.read(listed);
  };
  if (digest.records > MAX_LEAVES) return { status: 'too_large' };
  const leaves = await readAt(digest.leaves?.key);
  const index = (place?.firstLeaf ?? 0) + location.line;
  const leaf = leaves && Buffer.from(leaves.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES));
  // The row is a cache: it may name a line, and only the digest says what was sealed there.
  if (!leaf || leaf.toString('hex') !== leafHash || leaves.length !== digest.records * HASH_BYTES) {
    return { status: 'contradicted' };
  }
  const path = inclusionPath(leaves, index);
  if (rootOfPath(leafHash, path) !== digest.root) return { status: 'contradicted' };
  const { number, from, to, root, records, signer } = digest;
  return {
    status: 'sealed',
    proof: {
      receiptId,
      ...(traceId !== undefined && { traceId }),
      object: location,
      ...{ leaf: leafHash, index, leaves: records, path, root },
      digest: {
        ...{ key: version.key, versionId: version.versionId, number, from, to, sha256 },
        signature: signature as string,
        fingerprint: signer.fingerprint,
      },
    },
  };
}
