import { type KinesisClient, PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { UnavailableError } from '../domain/errors.ts';
import type { Clock, EventPublisher, OutgoingRecord } from '../domain/evidence/ports.ts';

/** PutRecords takes 500 records and 5 MiB a call; partition keys and framing count, hence the margin. */
const MAX_RECORDS_PER_CALL = 500;
const MAX_BYTES_PER_CALL = 4_500_000;

/** Only the refused entries are sent again. */
const MAX_ATTEMPTS = 3;
const BACKOFF_MILLIS = 50;
/** Ingest has to answer within 4 s; no call starts later than this, and none takes longer than its own limit. */
const SENDING_MILLIS = 2_000;

/** Hands records to a Kinesis stream and tells, one by one, which it acknowledged. */
export class KinesisPublisher implements EventPublisher {
  readonly #client: KinesisClient;
  readonly #streamName: string;
  readonly #clock: Clock;

  constructor(client: KinesisClient, streamName: string, clock: Clock) {
    this.#client = client;
    this.#streamName = streamName;
    this.#clock = clock;
  }

  async publish(records: readonly OutgoingRecord[]): Promise<readonly boolean[]> {
    const acknowledged = new Array<boolean>(records.length).fill(false);
    let pending = records.map((_, index) => index);
    let lastError: unknown;
    const deadline = this.#clock() + SENDING_MILLIS;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && pending.length > 0; attempt++) {
      if (attempt > 0) await jitteredDelay(attempt);
      for (const chunk of chunks(records, pending)) {
        if (this.#clock() > deadline) break;
        try {
          for (const index of await this.#put(records, chunk)) acknowledged[index] = true;
        } catch (error) {
          lastError = error;
        }
      }
      pending = pending.filter((index) => !acknowledged[index]);
    }
    if (records.length > 0 && pending.length === records.length) {
      throw new UnavailableError('kinesis', { cause: lastError });
    }
    return acknowledged;
  }

  async #put(records: readonly OutgoingRecord[], chunk: readonly number[]): Promise<number[]> {
    const { Records = [] } = await this.#client.send(
      new PutRecordsCommand({
        StreamName: this.#streamName,
        Records: chunk.map((index) => {
          const { partitionKey, data } = records[index] as OutgoingRecord;
          return { PartitionKey: partitionKey, Data: data };
        }),
      }),
    );
    return chunk.filter((_, position) => Records[position]?.SequenceNumber !== undefined);
  }
}

function* chunks(
  records: readonly OutgoingRecord[],
  indexes: readonly number[],
): Generator<number[]> {
  let chunk: number[] = [];
  let bytes = 0;
  for (const index of indexes) {
    const { data, partitionKey } = records[index] as OutgoingRecord;
    const size = data.length + partitionKey.length;
    if (
      chunk.length === MAX_RECORDS_PER_CALL ||
      (chunk.length > 0 && bytes + size > MAX_BYTES_PER_CALL)
    ) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(index);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function jitteredDelay(attempt: number): Promise<void> {
  const millis = BACKOFF_MILLIS * 2 ** attempt * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, millis));
}
