import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  InvalidArgumentException,
  type KinesisClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-kinesis';
import { UnavailableError } from '../domain/errors.ts';
import type { ConsumedRecord } from '../domain/evidence/consumed-record.ts';
import type { FailedBatch, StreamReader } from '../domain/evidence/redrive.ts';
import type { StreamPlane } from '../domain/findings.ts';
import { attempt } from './attempt.ts';

/** A failed batch is at most 10,000 records; pages of this size keep one answer well under 10 MB of 1 MiB records. */
const RECORDS_PER_PAGE = 100;
/** GetRecords may answer nothing while it moves through a sparse shard; more empty pages than this mean the end. */
const MAX_EMPTY_PAGES = 20;

/** Reads ranges of a stream by sequence number. */
export class KinesisStreamReader implements StreamReader {
  readonly #client: KinesisClient;
  readonly #streamNames: Readonly<Record<StreamPlane, string>>;

  constructor(client: KinesisClient, streamNames: Readonly<Record<StreamPlane, string>>) {
    this.#client = client;
    this.#streamNames = streamNames;
  }

  async *readRange(batch: FailedBatch): AsyncGenerator<ConsumedRecord> {
    const last = BigInt(batch.endSequenceNumber);
    let iterator = await this.#iterator(batch);
    let emptyPages = 0;
    while (iterator && emptyPages < MAX_EMPTY_PAGES) {
      const { Records = [], NextShardIterator } = await attempt('kinesis', () =>
        this.#client.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: RECORDS_PER_PAGE }),
        ),
      );
      emptyPages = Records.length === 0 ? emptyPages + 1 : 0;
      for (const { SequenceNumber, Data, ApproximateArrivalTimestamp } of Records) {
        if (BigInt(SequenceNumber as string) > last) return;
        yield {
          position: { shardId: batch.shardId, sequenceNumber: SequenceNumber as string },
          arrivedAtMillis: ApproximateArrivalTimestamp?.getTime() ?? 0,
          data: Data as Uint8Array,
        };
        if (SequenceNumber === batch.endSequenceNumber) return;
      }
      iterator = NextShardIterator;
    }
  }

  /** Undefined when the stream or the position is gone: its records are past retention. */
  async #iterator({
    plane,
    shardId,
    startSequenceNumber,
  }: FailedBatch): Promise<string | undefined> {
    try {
      const { ShardIterator } = await this.#client.send(
        new GetShardIteratorCommand({
          StreamName: this.#streamNames[plane],
          ShardId: shardId,
          ShardIteratorType: 'AT_SEQUENCE_NUMBER',
          StartingSequenceNumber: startSequenceNumber,
        }),
      );
      return ShardIterator;
    } catch (error) {
      if (error instanceof InvalidArgumentException || error instanceof ResourceNotFoundException)
        return undefined;
      throw new UnavailableError('kinesis', { cause: error });
    }
  }
}
