import { compareSequence, type StreamRecord } from '../../../../localstack/event-source/model.ts';
import type { ReadPosition, StreamReader } from '../../../../localstack/event-source/ports.ts';
import type { Shard } from '../../../../localstack/event-source/shards.ts';

/** A stream in memory that behaves as AWS's: a closed shard stays readable and says when it ends. */
export class FakeStream implements StreamReader {
  readonly #shards = new Map<string, { shard: Shard; records: StreamRecord[]; closed: boolean }>();

  addShard(shardId: string, parents: readonly string[] = []): void {
    for (const parent of parents) this.#get(parent).closed = true;
    this.#shards.set(shardId, { shard: { shardId, parents }, records: [], closed: false });
  }

  put(shardId: string, ...records: readonly StreamRecord[]): void {
    this.#get(shardId).records.push(...records);
  }

  close(shardId: string): void {
    this.#get(shardId).closed = true;
  }

  async listShards(): Promise<readonly Shard[]> {
    return [...this.#shards.values()].map(({ shard }) => shard);
  }

  async read(shardId: string, from: ReadPosition, limit: number) {
    const { records, closed } = this.#get(shardId);
    const later = records.filter((record) => isBehind(record, from));
    const page = later.slice(0, limit);
    return { records: page, closed: closed && page.length === later.length };
  }

  #get(shardId: string) {
    const found = this.#shards.get(shardId);
    if (found === undefined) throw new Error(`no ${shardId}`);
    return found;
  }
}

function isBehind(record: StreamRecord, from: ReadPosition): boolean {
  switch (from.kind) {
    case 'TRIM_HORIZON':
      return true;
    case 'AT_TIMESTAMP':
      return record.arrivedAt >= from.timestamp;
    case 'at':
      return compareSequence(record.sequenceNumber, from.sequenceNumber) >= 0;
    case 'after':
      return compareSequence(record.sequenceNumber, from.sequenceNumber) > 0;
  }
}
