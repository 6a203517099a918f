import type { Producer } from './producer.ts';
import type { Registration } from './registration.ts';
import type { RoleIdentity } from './role-arn.ts';

/** Who a request comes from; asked for every one. */
export interface ProducerRegistry {
  /**
   * The key with this id, unless its validity has ended.
   * @throws UnavailableError when the look-up fails: never mistaken for an unknown key
   */
  findByKeyId(keyId: string): Promise<{ keyHash: string; registration: Registration } | undefined>;
  /** The producer that calls with an IAM role. @throws UnavailableError */
  findByRole(role: RoleIdentity): Promise<Registration | undefined>;
}

/** The producers as they stand, for those who administer them. Every look is consistent. */
export interface ProducerDirectory {
  find(producerId: string): Promise<Producer | undefined>;
  /** @param after where the last page ended */
  list(limit: number, after?: string): Promise<{ producers: Producer[]; next?: string }>;
  /** Whether the role of a registration is free or its own; without a role, always. Reserves nothing. */
  mayHaveRole(registration: Registration): Promise<boolean>;
  /**
   * Writes the producer, its keys and its role in one step. False, and nothing is written, when the
   * producer does not stand at `before` any more or its role is another's.
   */
  put(
    before: Producer | undefined,
    after: Producer,
    newKey?: { readonly keyId: string; readonly keyHash: string },
  ): Promise<boolean>;
}

/** Tokens of one window that a container asks for. */
export interface TokenLease {
  readonly producerId: string;
  readonly windowStartMillis: number;
  /** At most `capacity`. */
  readonly tokens: number;
  /** What the window has for all containers together. */
  readonly capacity: number;
}

export interface RateLeases {
  /**
   * Takes all of the tokens or none; false when the window has not so many left.
   * @throws UnavailableError when that cannot be told: never mistaken for room
   */
  lease(lease: TokenLease): Promise<boolean>;
}
