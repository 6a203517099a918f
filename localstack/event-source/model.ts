/** One Kinesis record as the runner handles it. */
export interface StreamRecord {
  readonly sequenceNumber: string;
  readonly partitionKey: string;
  /** Base64, as it stands in the event. */
  readonly data: string;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
}

/** The settings of an event source mapping that decide what happens to a batch. */
export interface MappingSettings {
  readonly batchSize: number;
  readonly windowMillis: number;
  /** -1: until the records expire. */
  readonly maximumRetryAttempts: number;
  /** -1: no limit. */
  readonly maximumRecordAgeSeconds: number;
  readonly bisectOnError: boolean;
  readonly reportsItemFailures: boolean;
  /** Batches of one shard that run at once, 1 to 10; records of one partition key stay in order. */
  readonly parallelizationFactor: number;
}

/** Where a shard is first read when there is no checkpoint. */
export type StartingPosition =
  | { readonly kind: 'TRIM_HORIZON' }
  | { readonly kind: 'LATEST' }
  | { readonly kind: 'AT_TIMESTAMP'; readonly timestamp: number };

/** An event source mapping of a Kinesis stream. */
export interface Mapping {
  readonly uuid: string;
  readonly streamArn: string;
  readonly functionArn: string;
  readonly startingPosition: StartingPosition;
  readonly onFailureArn?: string;
  readonly settings: MappingSettings;
}

/** Orders sequence numbers; they are decimal strings too long for a number. */
export function compareSequence(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
