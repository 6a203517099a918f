import { AccessDeniedError, UnreadableRecordError } from '../errors.ts';
import type { DeliveryEntry } from '../evidence/index-entries.ts';
import type { VersionInspector } from '../evidence/ports.ts';
import { issuedAt, type ReadDeliveryDependencies } from '../evidence/read-delivery.ts';
import { HASH_BYTES, rootOfPath } from './merkle.ts';
import { placeIn, type ReadDigest, SignedDigests } from './proof-digests.ts';
import { findSealing, type Unsealed } from './proof-search.ts';
import { leafAt, type RecordProof, recordProof } from './record-proof.ts';

export interface ProveDependencies extends ReadDeliveryDependencies {
  readonly inspector: VersionInspector;
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
  digests: SignedDigests,
  { reader }: ProveDependencies,
): Promise<Provability> {
  const place = placeIn(digest, location);
  if (digest.records > MAX_LEAVES) return { status: 'too_large' };
  const listed = digest.leaves && (await digests.at(digest.leaves.key));
  const leaves = listed && Buffer.from(await reader.read(listed));
  const index = (place?.firstLeaf ?? 0) + location.line;
  // The row is a cache: it may name a line, and only the digest says what was sealed there.
  if (leaves?.length !== digest.records * HASH_BYTES || leafAt(leaves, index) !== leafHash) {
    return { status: 'contradicted' };
  }
  const { versionId } = version;
  const proof = recordProof(
    { receiptId, ...(traceId !== undefined && { traceId }), object: location },
    index,
    leaves,
    { digest, versionId, sha256, signature },
  );
  const isInTree = rootOfPath(leafHash, proof.path) === digest.root;
  return isInTree ? { status: 'sealed', proof } : { status: 'contradicted' };
}
