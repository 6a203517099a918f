import { storeKey } from '../domain/store-key.ts';

/** Attributes that all tables are keyed, listed and expired by; every other one belongs to the items. */
export const TableAttribute = {
  partition: 'pk',
  sort: 'sk',
  /** Partition of {@link HOUR_INDEX}. */
  hour: 'hourKey',
  /** When DynamoDB may drop the item: seconds since 1970. */
  expiry: 'expiresAt',
} as const;

/** Global index of what was accepted in an hour. */
export const HOUR_INDEX = 'byHour';

/** The partition of the producers table that holds wrapped HMAC keys, and nothing of a producer. */
export const HMAC_EPOCHS = storeKey('hmac-epochs');
