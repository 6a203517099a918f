/** A digest names so many of the records that a shard misses in an interval; so many findings are opened one by one. */
export const MAX_NAMED = 25;

/**
 * After this a verifier takes records that were counted and are not stored for lost: `sealing.graceMinutes` of every store
 * but a local one, which digests do not tell.
 */
export const GRACE_MILLIS = 3_600_000;
