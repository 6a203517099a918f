import { describe, expect, it } from 'vitest';
import { kinesisEvent } from '../../../../localstack/event-source/event.ts';
import {
  type Discarded,
  failureMessage,
  failureObjectKey,
} from '../../../../localstack/event-source/failure-message.ts';
import { toMapping } from '../../../../localstack/event-source/mapping.ts';
import { MAPPING, record } from './support.ts';

const NOW = Date.parse('2026-11-29T12:34:56.789Z');
const DISCARDED: Discarded = {
  mapping: MAPPING,
  shardId: 'shardId-000000000003',
  condition: 'RetryAttemptsExhausted',
  batch: {
    records: [record(0, 'a', NOW - 5_000), record(1, 'b', NOW - 4_000)],
    failures: 4,
    invocations: 4,
    refusals: 0,
    notBefore: 0,
  },
  lastAnswer: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
};

describe('kinesisEvent', () => {
  it('has the documented shape, with the arrival time in seconds', () => {
    const event = kinesisEvent(MAPPING, 'shardId-000000000003', [record(0, 'a', 1_500)], 'role');
    expect(event).toEqual({
      Records: [
        {
          kinesis: {
            kinesisSchemaVersion: '1.0',
            partitionKey: 'a',
            sequenceNumber: record(0).sequenceNumber,
            data: record(0).data,
            approximateArrivalTimestamp: 1.5,
          },
          eventSource: 'aws:kinesis',
          eventVersion: '1.0',
          eventID: `shardId-000000000003:${record(0).sequenceNumber}`,
          eventName: 'aws:kinesis:record',
          invokeIdentityArn: 'role',
          awsRegion: 'us-east-1',
          eventSourceARN: MAPPING.streamArn,
        },
      ],
    });
  });
});

describe('failureMessage', () => {
  it('has the documented shape and no payload', () => {
    expect(failureMessage(DISCARDED, 'request', NOW)).toEqual({
      requestContext: {
        requestId: 'request',
        functionArn: MAPPING.functionArn,
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: 4,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: '2026-11-29T12:34:56.789Z',
      KinesisBatchInfo: {
        shardId: 'shardId-000000000003',
        startSequenceNumber: record(0).sequenceNumber,
        endSequenceNumber: record(1).sequenceNumber,
        approximateArrivalOfFirstRecord: '2026-11-29T12:34:51.789Z',
        approximateArrivalOfLastRecord: '2026-11-29T12:34:52.789Z',
        batchSize: 2,
        streamArn: MAPPING.streamArn,
      },
    });
  });

  it('leaves the response out of a batch that was never sent', () => {
    const { lastAnswer: _lastAnswer, ...unsent } = DISCARDED;
    expect(failureMessage(unsent, 'request', NOW)).not.toHaveProperty('responseContext');
  });

  it('names S3 objects by mapping, shard and time', () => {
    expect(failureObjectKey(DISCARDED, 'uuid', NOW)).toBe(
      `aws/lambda/${MAPPING.uuid}/shardId-000000000003/2026/11/29/2026-11-29T12.34.56-uuid`,
    );
  });
});

describe('toMapping', () => {
  const source = {
    UUID: MAPPING.uuid,
    EventSourceArn: MAPPING.streamArn,
    FunctionArn: MAPPING.functionArn,
  };

  it("fills absent settings with AWS's defaults", () => {
    expect(toMapping(source)).toEqual({
      uuid: MAPPING.uuid,
      streamArn: MAPPING.streamArn,
      functionArn: MAPPING.functionArn,
      startingPosition: { kind: 'TRIM_HORIZON' },
      settings: {
        batchSize: 100,
        windowMillis: 0,
        maximumRetryAttempts: -1,
        maximumRecordAgeSeconds: -1,
        bisectOnError: false,
        reportsItemFailures: false,
        parallelizationFactor: 1,
      },
    });
  });

  it('refuses a setting that it would ignore', () => {
    const filtered = { ...source, FilterCriteria: { Filters: [{ Pattern: '{}' }] } };
    expect(() => toMapping(filtered)).toThrow(/does not know FilterCriteria/);
  });
});
