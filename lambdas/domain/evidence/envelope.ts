import { sum } from '../collections.ts';
import type { EventKind } from '../openlineage/identity.ts';
import type { RegisteredBasis } from '../producers/registration.ts';
import type { RedactionFacts } from '../redaction/fact-list.ts';
import { sha256Hex } from '../store-key.ts';
import type { RecordHead, Submitter } from './stream-record.ts';

/** Where in the stream a record stood: unique, and the same for every replay. */
export interface StreamPosition {
  readonly shardId: string;
  readonly sequenceNumber: string;
}

/** One declared change of a stored document. */
export interface RedactedField {
  readonly path: string;
  readonly rule: string;
  /** Of statements: `full` when only values went, `partial` when more had to, `skeleton` when all but the verb had to. */
  readonly mode?: 'full' | 'partial' | 'skeleton';
  /** Upper bound of the size of what was there, as a power of two. Exact lengths are never stored. */
  readonly bytesBucket: number;
}

export interface Redaction {
  readonly policy: string;
  /** `full`: every value judged; `skeleton`: only structure kept, because the redactor could not finish. */
  readonly mode: 'full' | 'skeleton';
  /** Of a skeleton: the code of what stopped the redactor. Older lines say none. */
  readonly reason?: string;
  readonly fields: readonly RedactedField[];
}

export type RecordKind = EventKind | 'trace';

/** One stored line: everything the store says about a delivery, and the document itself as text. */
export interface Envelope {
  readonly evidence: 1;
  readonly receiptId: string;
  readonly acceptedAt: string;
  readonly submitter: Submitter;
  readonly retentionClass: string;
  /** Evidential basis by the submitter's registration; never the producer's own statement. */
  readonly registeredBasis?: RegisteredBasis;
  readonly kind: RecordKind;
  /** Only on traces: one line per (trace, delivery). */
  readonly traceId?: string;
  readonly stream: StreamPosition;
  /** Hex SHA-256 of the stored document's UTF-8 bytes. */
  readonly digest: string;
  readonly received: {
    readonly bytesBucket: number;
    readonly epoch: number;
    readonly hmac: string;
  };
  readonly redaction: Redaction;
  /** What had to be taken before redaction. */
  readonly facts: RedactionFacts;
  readonly deviations: readonly string[];
  readonly document: string;
}

export interface EnvelopeInput {
  readonly head: RecordHead;
  readonly receivedBytes: number;
  readonly stream: StreamPosition;
  readonly kind: RecordKind;
  readonly traceId?: string;
  readonly redaction: Redaction;
  readonly facts: RedactionFacts;
  readonly deviations: readonly string[];
  readonly document: string;
}

/**
 * Builds the line of a record. A pure function of the stream record and the policy, with fixed key
 * order, so that a retry or a replay yields the same bytes.
 */
export function createEnvelope(input: EnvelopeInput): Envelope {
  const { head } = input;
  return {
    evidence: 1,
    receiptId: head.receiptId,
    acceptedAt: head.acceptedAt,
    submitter: { producerId: head.submitter.producerId, group: head.submitter.group },
    retentionClass: head.retentionClass,
    ...(head.registeredBasis && {
      registeredBasis: {
        derivation: head.registeredBasis.derivation,
        completeness: head.registeredBasis.completeness,
      },
    }),
    kind: input.kind,
    ...(input.traceId !== undefined && { traceId: input.traceId }),
    stream: { shardId: input.stream.shardId, sequenceNumber: input.stream.sequenceNumber },
    digest: sha256Hex(input.document),
    received: {
      bytesBucket: bytesBucket(input.receivedBytes),
      epoch: head.received.epoch,
      hmac: head.received.hmac,
    },
    redaction: input.redaction,
    facts: input.facts,
    deviations: [...new Set([...head.deviations, ...input.deviations])].sort(),
    document: input.document,
  };
}

/** The next power of two: a size is worth knowing, an exact one would betray a short secret. */
export function bytesBucket(bytes: number): number {
  return bytes <= 16 ? 16 : 2 ** Math.ceil(Math.log2(bytes));
}

/** What a listed change takes beside its path. */
const CHARACTERS_OF_FIELD = 64;

/** Characters that an envelope holds: the document and the list of its changes, which may be as long. */
export function charactersOf({ document, redaction }: Envelope): number {
  return document.length + listedCharacters(redaction);
}

export function listedCharacters({ fields }: Redaction): number {
  return sum(fields.map(({ path }) => path.length + CHARACTERS_OF_FIELD));
}
