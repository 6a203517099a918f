import type { ShardCheckpoint } from '../../../../localstack/event-source/checkpoint.ts';
import type { CheckpointStore } from '../../../../localstack/event-source/checkpoint-store.ts';
import type {
  Mapping,
  MappingSettings,
  StreamRecord,
} from '../../../../localstack/event-source/model.ts';

export const SETTINGS: MappingSettings = {
  batchSize: 10,
  windowMillis: 0,
  maximumRetryAttempts: 3,
  maximumRecordAgeSeconds: -1,
  bisectOnError: true,
  reportsItemFailures: true,
  parallelizationFactor: 1,
};

export const MAPPING: Mapping = {
  uuid: '11111111-2222-3333-4444-555555555555',
  streamArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/lineage',
  functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:archive',
  startingPosition: { kind: 'TRIM_HORIZON' },
  onFailureArn: 'arn:aws:sqs:us-east-1:000000000000:failures',
  settings: SETTINGS,
};

/** Record number `n` (from 0) of a shard. */
export function record(n: number, partitionKey = `k${n % 7}`, arrivedAt = 1_000): StreamRecord {
  const sequenceNumber = String(n + 1).padStart(30, '0');
  return { sequenceNumber, partitionKey, data: btoa(String(n)), arrivedAt };
}

export function records(count: number): StreamRecord[] {
  return Array.from({ length: count }, (_, n) => record(n));
}

/** The number a record was made with. */
export function numberOf(source: StreamRecord): number {
  return Number(atob(source.data));
}

/** Checkpoints that live as long as the object. */
export function memoryCheckpoints(): CheckpointStore {
  const held = new Map<string, ShardCheckpoint>();
  let firstLook: number | undefined;
  return {
    load: (shardId) => held.get(shardId),
    save: (shardId, checkpoint) => void held.set(shardId, checkpoint),
    firstLook: (now) => {
      firstLook ??= now;
      return firstLook;
    },
  };
}
