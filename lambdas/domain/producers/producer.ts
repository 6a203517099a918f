import type { IssuedKey } from './issued-key.ts';
import type { Registration } from './registration.ts';

/** A producer with everything that changes together. */
export interface Producer {
  /** 1 at registration, and one more with every change. */
  readonly version: number;
  readonly registration: Registration;
  readonly keys: readonly IssuedKey[];
}

/** What a change of a producer is called in its locked record. */
type ProducerChange =
  | 'registered'
  | 'changed'
  | 'disabled'
  | 'enabled'
  | 'key_issued'
  | 'key_ended';

/** Who made a change: a producer with the scope admin, or somebody with AWS credentials, whom CloudTrail names. */
export type ChangedBy =
  | { readonly via: 'api'; readonly producerId: string }
  | { readonly via: 'aws-credentials' };

/** The locked record of one change, with the state after it. Never a key or a hash. */
export interface ProducerRecord extends Registration {
  readonly producer: 1;
  readonly version: number;
  readonly at: string;
  readonly change: ProducerChange;
  readonly by: ChangedBy;
  /** The key that was issued or ended. */
  readonly keyId?: string;
  readonly keys: readonly IssuedKey[];
}

/** What API and command line answer about a producer. */
export function viewProducer({ registration, version, keys }: Producer) {
  const { producerId, group, scopes, ...others } = registration;
  return {
    ...{ producerId, group, scopes, ...others },
    version,
    keys: keys.map(({ keyId, issuedAt, validUntil }) => ({
      keyId,
      issuedAt,
      validUntil: validUntil ?? null,
    })),
  };
}
