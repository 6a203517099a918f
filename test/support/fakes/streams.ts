import type { EventPublisher, OutgoingRecord } from '../../../lambdas/domain/evidence/ports.ts';
import type { StreamPlane } from '../../../lambdas/domain/findings.ts';
import type { StreamArrival, StreamCounter } from '../../../lambdas/domain/integrity/ports.ts';
import { Faults } from './bucket.ts';

/** A stream that keeps what was published; records whose key is refused are not acknowledged. */
export class InMemoryStream implements EventPublisher {
  readonly faults = new Faults();
  readonly records: OutgoingRecord[] = [];
  readonly refusedKeys = new Set<string>();

  async publish(records: readonly OutgoingRecord[]): Promise<readonly boolean[]> {
    this.faults.enter('publish');
    return records.map((record) => {
      const taken = !this.refusedKeys.has(record.partitionKey);
      if (taken) this.records.push(record);
      return taken;
    });
  }
}

/** Streams by shard, as they are read once more; `kept` hours of them. */
export class InMemoryStreamCounter implements StreamCounter {
  readonly faults = new Faults();
  readonly shardsOf = { lineage: new Map(), traces: new Map() } as Record<
    StreamPlane,
    Map<string, StreamArrival[]>
  >;
  retentionHours = 24;

  async retentionMillis(): Promise<number> {
    this.faults.enter('retentionMillis');
    return this.retentionHours * 3_600_000;
  }

  async shards(plane: StreamPlane): Promise<string[]> {
    this.faults.enter('shards');
    return [...this.shardsOf[plane].keys()];
  }

  async *arrivals(plane: StreamPlane, shardId: string, fromMillis: number, toMillis: number) {
    this.faults.enter('arrivals');
    for (const arrival of this.shardsOf[plane].get(shardId) ?? []) {
      const { arrivedAtMillis } = arrival;
      if (arrivedAtMillis >= fromMillis && arrivedAtMillis < toMillis) yield arrival;
    }
  }
}
