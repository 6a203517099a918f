import { randomUUID } from 'node:crypto';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { kinesisEvent } from './event.ts';
import { failureMessage, failureObjectKey } from './failure-message.ts';
import type { SendDiscarded } from './ports.ts';

/** Sends discarded batches to the SQS queue or S3 bucket of their mapping; without one they are dropped, as on AWS. */
export function sendToDestination(
  sqs: SQSClient,
  s3: S3Client,
  endpoint: string,
  now: () => number,
): SendDiscarded {
  return async (discarded) => {
    const arn = discarded.mapping.onFailureArn;
    if (arn === undefined) return;
    const message = failureMessage(discarded, randomUUID(), now());
    const [, , service, , account, resource] = arn.split(':');
    if (service === 'sqs') {
      // The emulator's own answers say `localhost`, so the address is built here.
      const QueueUrl = `${endpoint}/${account}/${resource}`;
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
      return;
    }
    if (service !== 's3') throw new Error(`cannot send to a destination of ${service}`);
    // Unlike a queue, a bucket also gets the records.
    const { mapping, shardId, batch } = discarded;
    const payload = JSON.stringify(kinesisEvent(mapping, shardId, batch.records, ''));
    await s3.send(
      new PutObjectCommand({
        Bucket: resource,
        Key: failureObjectKey(discarded, randomUUID(), now()),
        Body: JSON.stringify({ ...message, payload }),
        ContentType: 'application/json',
      }),
    );
  };
}
