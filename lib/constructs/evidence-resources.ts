import type { DigestSigning } from './digest-signing.ts';
import type { EventStream } from './event-stream.ts';
import type { EvidenceTables } from './evidence-tables.ts';
import type { EvidenceVault } from './evidence-vault.ts';
import type { FailureQueue } from './failure-queue.ts';
import type { HmacKeys } from './hmac-keys.ts';
import type { StagingBucket } from './staging-bucket.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** What the data stack keeps and the pipeline works on. */
export interface EvidenceResources {
  readonly vault: EvidenceVault;
  readonly staging: StagingBucket;
  readonly tables: EvidenceTables;
  readonly hmacKeys: HmacKeys;
  readonly signing: DigestSigning;
  readonly subjectKeys: SubjectKeys;
  readonly lineage: EventStream;
  readonly traces: EventStream;
  readonly lineageFailures: FailureQueue;
  readonly tracesFailures: FailureQueue;
}
