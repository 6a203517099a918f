import type { EvidenceVault, ObjectVersion } from '../evidence/ports.ts';
import type { Lock } from '../evidence/retention.ts';
import type { StreamPlane } from '../findings.ts';

/** One object version, opened. */
export interface OpenedVersion {
  /** As S3 says; absent when the version is not locked. */
  readonly lock?: Pick<Lock, 'mode' | 'retainUntil'>;
  /** Names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Iterating throws UnavailableError when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads object versions of any size piece by piece, with what S3 says about them. */
export interface VersionStreams {
  /**
   * @throws UnreadableRecordError when that version is gone, or encrypted under a key of its writer's own;
   * AccessDeniedError when content or lock may not be looked at, UnavailableError
   */
  open(version: ObjectVersion): Promise<OpenedVersion>;
}

/** The part of the vault that the digest chain is written to. */
export interface ChainVault extends EvidenceVault {
  /**
   * Puts bytes as they are, with object metadata beside them, the same way as any document.
   * @throws ConflictingObjectError when other bytes stand there, UnavailableError
   */
  putBytes(
    key: string,
    body: Uint8Array,
    lock: Lock,
    description: {
      readonly contentType: string;
      readonly metadata?: Readonly<Record<string, string>>;
    },
  ): Promise<ObjectVersion>;
}

/** A key that signs digests; its private half never leaves KMS. */
export interface DigestSigner {
  /** SHA-256 (hex) of the public key in DER form. */
  readonly fingerprint: string;
  /** SPKI, PEM. */
  readonly publicKey: string;
  /**
   * ECDSA over the SHA-256 of the bytes; DER.
   * @throws LineageError `signing_refused` when the key is disabled or ours no more, UnavailableError
   */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

export interface SigningKeys {
  /** The key of the configured generation. @throws as {@link DigestSigner.sign} */
  current(): Promise<DigestSigner>;
  /** The newest key with this fingerprint; undefined when no generation has it. @throws as {@link DigestSigner.sign} */
  byFingerprint(fingerprint: string): Promise<DigestSigner | undefined>;
}

/** What goes out of the account after each digest, so that a chain cut short does not match it. */
export interface AnchoredHead {
  readonly bucket: string;
  readonly key: string;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  /** Hex, of the digest's bytes. */
  readonly sha256: string;
  /** Base64. */
  readonly signature: string;
}

export interface HeadAnchor {
  /** Where heads go, as digests say it. */
  readonly name: string;
  /** @throws UnavailableError */
  publish(head: AnchoredHead): Promise<void>;
}

/** That a stream took a record, and nothing of what it said. */
export interface StreamArrival {
  readonly sequenceNumber: string;
  /** By the clock of the stream. */
  readonly arrivedAtMillis: number;
  /** RFC 3339 UTC: the acceptance by which the archive files it. */
  readonly acceptedAt: string;
}

/** What the streams took, read once more. */
export interface StreamCounter {
  /** How long the stream of a plane keeps its records. @throws UnavailableError */
  retentionMillis(plane: StreamPlane): Promise<number>;
  /** Every shard that may still hold a record, closed ones included. @throws UnavailableError */
  shards(plane: StreamPlane): Promise<string[]>;
  /**
   * The records of a shard that arrived in the half-open interval, in order; those past retention are absent.
   * @throws UnavailableError before anything is left out for another reason
   */
  arrivals(
    plane: StreamPlane,
    shardId: string,
    fromMillis: number,
    toMillis: number,
  ): AsyncIterable<StreamArrival>;
}
