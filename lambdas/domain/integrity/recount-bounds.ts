/** What is not stored so long after its interval counts as missing: the alarms on the failure queues fire at the same age. */
export const GRACE_MILLIS = 3_600_000;

/** A digest names so many of the records that a shard misses in an interval; so many findings are opened one by one. */
export const MAX_NAMED = 25;
