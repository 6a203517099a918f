import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { FailedBatch } from '../../../lambdas/domain/evidence/redrive.ts';
import { createHandler } from '../../../lambdas/redrive/handler.ts';
import { failureMessage } from '../../../localstack/event-source/failure-message.ts';
import { consumed, NOW, NOW_TEXT, RETENTION, runEventText } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { recorder } from '../../support/recorder.ts';

const ARN = 'arn:aws:kinesis:us-east-1:000000000000:stream/traces-stream';

/** The message as the event source runner writes it, which follows AWS's documentation. */
const message = (overrides: Record<string, unknown> = {}) => {
  const record = (sequenceNumber: string) => ({ sequenceNumber, arrivedAt: NOW });
  const { KinesisBatchInfo, ...rest } = failureMessage(
    {
      mapping: { functionArn: 'arn', streamArn: ARN },
      shardId: 'shardId-000000000000',
      batch: { records: [record('1'), record('2')], invocations: 3 },
      condition: 'RetryAttemptsExhausted',
    } as unknown as Parameters<typeof failureMessage>[0],
    'id',
    NOW,
  );
  return JSON.stringify({ ...rest, KinesisBatchInfo: { ...KinesisBatchInfo, ...overrides } });
};

function redrive(...bodies: string[]) {
  const seen: FailedBatch[] = [];
  const { logger, metrics, lines } = recorder();
  const handler = createHandler({
    ...{
      vault: new InMemoryVault(),
      index: new InMemoryRunIndex(),
      retention: RETENTION,
      clock: () => NOW,
      logger,
      metrics,
    },
    stream: {
      async *readRange(batch) {
        seen.push(batch);
        yield consumed(1, runEventText());
        yield consumed(2, runEventText());
      },
    },
    archiver: {
      isSound: async () => true,
      archive: async (plane) => (plane === 'traces' ? 'archived' : 'refused'),
    },
    planeOf: (arn) => (arn === ARN ? 'traces' : 'lineage'),
  });
  const Records = bodies.map((body, n) => ({ messageId: `m${n}`, body }));
  return { seen, lines, answer: handler({ Records } as SQSEvent) };
}

describe('redrive handler', () => {
  it('reads the batch that an on-failure message names', async () => {
    const { seen, answer } = redrive(message());
    expect(await answer).toEqual({ batchItemFailures: [] });
    expect(seen).toMatchObject([
      {
        plane: 'traces',
        shardId: 'shardId-000000000000',
        startSequenceNumber: '1',
        endSequenceNumber: '2',
        firstArrivedAt: NOW_TEXT,
      },
    ]);
  });

  it.each([
    ['no JSON', 'canarycanary'],
    ['no batch', '{"canarycanary":1}'],
    ['a sequence number that is none', message({ startSequenceNumber: 'canarycanary' })],
    ['no arrival', message({ approximateArrivalOfFirstRecord: 'canarycanary' })],
  ])(
    'leaves a message with %s to the dead-letter queue, without a byte of it in the log',
    async (_what, body) => {
      const { seen, answer, lines } = redrive(body);
      expect(await answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
      expect(seen).toEqual([]);
      expect(JSON.stringify(lines)).not.toContain('canary');
    },
  );

  it('keeps a message whose records were refused, and no other', async () => {
    const { answer } = redrive(message(), message({ streamArn: 'arn:other' }));
    expect(await answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
  });
});
