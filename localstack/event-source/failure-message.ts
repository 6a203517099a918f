import type { Batch, DiscardCondition } from './lane.ts';
import type { Mapping } from './model.ts';

/** How the last invocation of a discarded batch answered. */
export interface LastAnswer {
  readonly statusCode: number;
  readonly executedVersion: string;
  /** Absent when the function answered with item failures instead of an error. */
  readonly functionError?: string;
}

/** A batch that was given up. */
export interface Discarded {
  readonly mapping: Mapping;
  readonly shardId: string;
  readonly batch: Batch;
  readonly condition: DiscardCondition;
  /** Absent when the batch was never sent. */
  readonly lastAnswer?: LastAnswer;
}

/** The message for an SQS queue, as AWS documents it: sequence numbers, never a payload. */
export function failureMessage(discarded: Discarded, requestId: string, now: number) {
  const { mapping, shardId, batch, condition, lastAnswer } = discarded;
  const first = batch.records[0];
  const last = batch.records.at(-1);
  if (first === undefined || last === undefined) throw new Error('a discarded batch has records');
  return {
    requestContext: {
      requestId,
      functionArn: mapping.functionArn,
      condition,
      approximateInvokeCount: batch.invocations,
    },
    ...(lastAnswer !== undefined && { responseContext: lastAnswer }),
    version: '1.0',
    timestamp: new Date(now).toISOString(),
    KinesisBatchInfo: {
      shardId,
      startSequenceNumber: first.sequenceNumber,
      endSequenceNumber: last.sequenceNumber,
      approximateArrivalOfFirstRecord: new Date(first.arrivedAt).toISOString(),
      approximateArrivalOfLastRecord: new Date(last.arrivedAt).toISOString(),
      batchSize: batch.records.length,
      streamArn: mapping.streamArn,
    },
  };
}

/** Key of the object for an S3 destination: `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<uuid>`. */
export function failureObjectKey(discarded: Discarded, uuid: string, now: number): string {
  const time = new Date(now).toISOString();
  const day = time.slice(0, 10).replaceAll('-', '/');
  const second = time.slice(0, 19).replaceAll(':', '.');
  return `aws/lambda/${discarded.mapping.uuid}/${discarded.shardId}/${day}/${second}-${uuid}`;
}
