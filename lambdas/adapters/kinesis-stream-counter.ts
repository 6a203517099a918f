import {
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis';
import { UnavailableError } from '../domain/errors.ts';
import { filedAt } from '../domain/evidence/quarantine.ts';
import type { StreamPlane } from '../domain/findings.ts';
import type { StreamArrival, StreamCounter } from '../domain/integrity/ports.ts';
import { attempt } from './attempt.ts';

const MILLIS_PER_HOUR = 3_600_000;

/** The most that Kinesis takes; it cuts an answer at 10 MB by itself. */
const RECORDS_PER_PAGE = 10_000;

/**
 * Kinesis does not promise that arrival times of a shard only grow: so much earlier and later is read, and what
 * arrived within the interval is picked out of it.
 * @see https://docs.aws.amazon.com/kinesis/latest/APIReference/API_Record.html
 */
const DISORDER_MILLIS = 10_000;

/** GetRecords answers nothing while it moves through a sparse shard; after so many pages in a row something is wrong. */
const MAX_EMPTY_PAGES = 2_000;

/** Reads streams for their sequence numbers: what the records hold is dropped with the page that brought it. */
export class KinesisStreamCounter implements StreamCounter {
  readonly #client: KinesisClient;
  readonly #streamNames: Readonly<Record<StreamPlane, string>>;

  constructor(client: KinesisClient, streamNames: Readonly<Record<StreamPlane, string>>) {
    this.#client = client;
    this.#streamNames = streamNames;
  }

  async retentionMillis(plane: StreamPlane): Promise<number> {
    const { StreamDescriptionSummary } = await attempt('kinesis', () =>
      this.#client.send(new DescribeStreamSummaryCommand({ StreamName: this.#streamNames[plane] })),
    );
    return (StreamDescriptionSummary?.RetentionPeriodHours as number) * MILLIS_PER_HOUR;
  }

  async shards(plane: StreamPlane): Promise<string[]> {
    const shards: string[] = [];
    let NextToken: string | undefined;
    do {
      // A page names the stream or continues the one before, never both.
      const page = NextToken ? { NextToken } : { StreamName: this.#streamNames[plane] };
      const answer = await attempt('kinesis', () => this.#client.send(new ListShardsCommand(page)));
      shards.push(...(answer.Shards ?? []).map(({ ShardId }) => ShardId as string));
      NextToken = answer.NextToken;
    } while (NextToken);
    return shards;
  }

  async *arrivals(
    plane: StreamPlane,
    shardId: string,
    fromMillis: number,
    toMillis: number,
  ): AsyncGenerator<StreamArrival> {
    let iterator = await this.#iterator(plane, shardId, fromMillis - DISORDER_MILLIS);
    let emptyPages = 0;
    while (iterator) {
      const {
        Records = [],
        NextShardIterator,
        MillisBehindLatest,
      } = await attempt('kinesis', () =>
        this.#client.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: RECORDS_PER_PAGE }),
        ),
      );
      for (const { SequenceNumber, Data, ApproximateArrivalTimestamp } of Records) {
        const arrivedAtMillis = (ApproximateArrivalTimestamp as Date).getTime();
        if (arrivedAtMillis >= toMillis + DISORDER_MILLIS) return;
        if (arrivedAtMillis < fromMillis || arrivedAtMillis >= toMillis) continue;
        const acceptedAt = filedAt({ data: Data as Uint8Array, arrivedAtMillis });
        yield { sequenceNumber: SequenceNumber as string, arrivedAtMillis, acceptedAt };
      }
      if (Records.length === 0 && MillisBehindLatest === 0) return;
      emptyPages = Records.length === 0 ? emptyPages + 1 : 0;
      // An end that is not the end would hide what lies behind it.
      if (emptyPages > MAX_EMPTY_PAGES) throw new UnavailableError('kinesis');
      iterator = NextShardIterator;
    }
  }

  async #iterator(
    plane: StreamPlane,
    shardId: string,
    atMillis: number,
  ): Promise<string | undefined> {
    const { ShardIterator } = await attempt('kinesis', () =>
      this.#client.send(
        new GetShardIteratorCommand({
          StreamName: this.#streamNames[plane],
          ShardId: shardId,
          ShardIteratorType: 'AT_TIMESTAMP',
          Timestamp: new Date(atMillis),
        }),
      ),
    );
    return ShardIterator;
  }
}
