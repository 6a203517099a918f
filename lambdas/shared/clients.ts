import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A producer waits 5 s at the most, so a call of ours gives up well before and is answered with 503. */
const CONNECTION_TIMEOUT_MILLIS = 1_000;
const REQUEST_TIMEOUT_MILLIS = 3_000;
const S3_REQUEST_TIMEOUT_MILLIS = 10_000;
/** The SDK's own tries; more would outlast the caller. */
const MAX_ATTEMPTS = 2;

/**
 * Kinesis over HTTP/1.1 with keep-alive: the SDK's HTTP/2 default fails at random on large answers
 * and does not retry that.
 */
export function createKinesisClient(): KinesisClient {
  return new KinesisClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: requestHandler() });
}

export function createDynamoClient(): DynamoDBClient {
  return new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: requestHandler() });
}

/** S3 carries objects of megabytes; a call that hangs must end before the function does. */
export function createS3Client(): S3Client {
  return new S3Client({ requestHandler: requestHandler(S3_REQUEST_TIMEOUT_MILLIS) });
}

function requestHandler(requestTimeout = REQUEST_TIMEOUT_MILLIS): NodeHttpHandler {
  return new NodeHttpHandler({ connectionTimeout: CONNECTION_TIMEOUT_MILLIS, requestTimeout });
}
