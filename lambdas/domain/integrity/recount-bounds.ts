/** A digest names so many of the records that a shard misses in an interval; so many findings are opened one by one. */
export const MAX_NAMED = 25;
