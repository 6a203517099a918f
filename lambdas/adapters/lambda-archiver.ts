import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { KinesisStreamBatchResponse } from 'aws-lambda';
import { UnavailableError } from '../domain/errors.ts';
import type { ConsumedRecord } from '../domain/evidence/consumed-record.ts';
import type { SingleArchiver } from '../domain/evidence/redrive.ts';
import type { StreamPlane } from '../domain/findings.ts';

/** Invokes the archive function of a plane with one record, in the shape Kinesis would have handed it over. */
export class LambdaArchiver implements SingleArchiver {
  readonly #client: LambdaClient;
  readonly #functionNames: Readonly<Record<StreamPlane, string>>;

  constructor(client: LambdaClient, functionNames: Readonly<Record<StreamPlane, string>>) {
    this.#client = client;
    this.#functionNames = functionNames;
  }

  async isSound(plane: StreamPlane): Promise<boolean> {
    return (await this.#invoke(plane, [])) === 'archived';
  }

  archive(plane: StreamPlane, record: ConsumedRecord) {
    return this.#invoke(plane, [asKinesisRecord(record)]);
  }

  async #invoke(plane: StreamPlane, Records: readonly unknown[]) {
    try {
      const { FunctionError, Payload } = await this.#client.send(
        new InvokeCommand({
          FunctionName: this.#functionNames[plane],
          Payload: JSON.stringify({ Records }),
        }),
      );
      if (FunctionError) return 'crashed';
      const answer = JSON.parse(
        Buffer.from(Payload ?? []).toString(),
      ) as KinesisStreamBatchResponse;
      return answer.batchItemFailures.length === 0 ? 'archived' : 'refused';
    } catch (error) {
      throw new UnavailableError('lambda', { cause: error });
    }
  }
}

function asKinesisRecord({ position, arrivedAtMillis, data }: ConsumedRecord) {
  return {
    eventID: `${position.shardId}:${position.sequenceNumber}`,
    eventName: 'aws:kinesis:record',
    eventSource: 'aws:kinesis',
    kinesis: {
      kinesisSchemaVersion: '1.0',
      sequenceNumber: position.sequenceNumber,
      approximateArrivalTimestamp: arrivedAtMillis / 1000,
      data: Buffer.from(data).toString('base64'),
    },
  };
}
