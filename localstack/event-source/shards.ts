/** A shard as the stream lists it. */
export interface Shard {
  readonly shardId: string;
  /** One parent after a split, two after a merge; parents whose records expired are no longer listed. */
  readonly parents: readonly string[];
}

/**
 * Shards that may be read now: not drained, and with every listed parent drained, so that records of one key stay in
 * order when a stream is resharded. A parent that the stream no longer lists cannot be read and holds nobody up.
 */
export function readableShards(
  shards: readonly Shard[],
  isDrained: (shardId: string) => boolean,
): readonly Shard[] {
  const listed = new Set(shards.map((shard) => shard.shardId));
  return shards.filter(
    (shard) =>
      !isDrained(shard.shardId) &&
      shard.parents.every((parent) => !listed.has(parent) || isDrained(parent)),
  );
}
