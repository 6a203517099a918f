import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A producer waits 5 s at the most, so a call of ours gives up well before and is answered with 503. */
const CONNECTION_TIMEOUT_MILLIS = 500;
const REQUEST_TIMEOUT_MILLIS = 1_500;
/** S3 objects and pages of a stream are megabytes; a call that hangs must still end before the function does. */
const BULK_REQUEST_TIMEOUT_MILLIS = 10_000;
/** First try and one more: a third would outlast the caller. */
const MAX_ATTEMPTS = 2;

/**
 * Kinesis over HTTP/1.1 with keep-alive: the SDK's HTTP/2 default fails at random on large answers
 * and does not retry that. One try a call: the publisher sends again what was refused, and only that.
 */
export function createKinesisClient(): KinesisClient {
  return new KinesisClient({ maxAttempts: 1, requestHandler: requestHandler() });
}

/** For reading ranges of a stream back, where nobody waits. */
export function createKinesisReaderClient(): KinesisClient {
  return new KinesisClient({ requestHandler: requestHandler(BULK_REQUEST_TIMEOUT_MILLIS) });
}

export function createDynamoClient(): DynamoDBClient {
  return new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: requestHandler() });
}

export function createKmsClient(): KMSClient {
  return new KMSClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: requestHandler() });
}

export function createS3Client(): S3Client {
  return new S3Client({ requestHandler: requestHandler(BULK_REQUEST_TIMEOUT_MILLIS) });
}

/** A topic may lie in another region: its ARN (`arn:aws:sns:<region>:...`) says in which. */
export function createSnsClient(topicArn: string): SNSClient {
  const [, , , region] = topicArn.split(':');
  return new SNSClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: requestHandler(),
    ...(region && { region }),
  });
}

/** Without `throwOnRequestTimeout` the SDK only warns and goes on waiting. */
function requestHandler(requestTimeout = REQUEST_TIMEOUT_MILLIS): NodeHttpHandler {
  return new NodeHttpHandler({
    connectionTimeout: CONNECTION_TIMEOUT_MILLIS,
    requestTimeout,
    throwOnRequestTimeout: true,
  });
}
