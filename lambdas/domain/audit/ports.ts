import type { ObjectVersion } from '../evidence/ports.ts';
import type { Lock, RetentionPolicy } from '../evidence/retention.ts';
import type { GuardStatement } from './guard-policy.ts';
import type { Rejection, RejectionCount } from './rejections.ts';

/** What stands around a bucket and a key right now. A right that we lost is `denied`, never "not set". */
export interface GuardReader {
  /** @throws UnavailableError when S3 does not answer */
  bucket(bucketName: string): Promise<Seen<BucketGuards>>;
  /**
   * @param rotates whether the key can: of others the rotation is not asked for
   * @throws UnavailableError when KMS does not answer
   */
  key(keyArn: string, rotates: boolean): Promise<Seen<KeyGuards>>;
}

/** Makes the lock of a version longer. */
export interface RetentionExtender {
  /**
   * Locks a version until a later time than it is. False when S3 refuses, which it does for an earlier one.
   * @throws UnavailableError when S3 does not answer
   */
  extend(version: ObjectVersion, lock: Pick<Lock, 'mode' | 'retainUntil'>): Promise<boolean>;
}

/** Counts of final refusals, short-lived: evidence is the report that is made of them. */
export interface RejectionLedger {
  /**
   * Adds to a count; keeps the sample while there are few of its kind.
   * @throws UnavailableError when that cannot be told, and it may have been counted all the same
   */
  count(rejection: Rejection): Promise<void>;
  /** Everything counted in a UTC hour (`YYYY-MM-DDTHH`). @throws UnavailableError */
  ofHour(hour: string): Promise<RejectionCount[]>;
}

/** A statement as a service answers it: ours, or whatever somebody added. */
export type StatementLike = GuardStatement | Readonly<Record<string, unknown>>;

/** Everything that decides whether what lies in the bucket is still evidence. */
export interface BucketGuards {
  readonly policy: readonly StatementLike[];
  readonly objectLock: { readonly mode: RetentionPolicy['mode']; readonly days: number };
  readonly versioning: 'Enabled' | 'Suspended';
  readonly lifecycle: {
    /** Days after which an upload that was never finished is removed. */
    readonly uploadDays?: number;
    /** Actions of active rules that touch versions, by name. */
    readonly touching: readonly string[];
  };
  readonly encryption: {
    readonly algorithm: string;
    readonly keyArn?: string;
    readonly bucketKey: boolean;
  };
  readonly publicAccess: 'blocked' | 'open';
  readonly ownership: string;
  /** Bucket that access is logged to. Undefined where it is not this deployment's: then it is not compared. */
  readonly accessLogs: string | undefined;
  /** ARNs of the buckets that active rules copy to. */
  readonly replication: readonly string[];
}

export interface KeyGuards {
  readonly policy: readonly StatementLike[];
  /** `Enabled`, or any other state that KMS knows. */
  readonly state: string;
  /** Yearly, which KMS does for keys that encrypt; of a key that signs nothing is expected. */
  readonly rotation?: boolean;
}

/** What was seen of each setting; a setting without a value is not set. */
export type Seen<T> = {
  readonly [K in keyof T]:
    | { readonly status: 'seen'; readonly value?: T[K] }
    | { readonly status: 'denied' };
};
