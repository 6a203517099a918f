import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ArchiveConfig } from '../config/environment-config.ts';
import type { EventStream } from './event-stream.ts';
import type { FailureQueue } from './failure-queue.ts';
import type { ServiceFunction } from './service-function.ts';

export interface StreamConsumerProps {
  readonly consumer: ServiceFunction;
  readonly stream: EventStream;
  /** Gets the sequence numbers of what still fails after every retry. */
  readonly failures: FailureQueue;
  readonly archive: ArchiveConfig;
}

/** Records never age out of a retry by time: only the number of tries ends it. */
const NO_MAXIMUM_AGE = -1;

/** Feeds a stream to its archive function, in order for each shard, so that nothing accepted is skipped. */
export class StreamConsumer extends Construct {
  constructor(scope: Construct, id: string, props: StreamConsumerProps) {
    super(scope, id);
    const { archive, consumer, failures, stream } = props;
    stream.grantConsume(consumer);
    failures.grantSend(consumer);

    // the L2 event source grants more than these rights and cannot say "no maximum age"
    const mapping = new CfnEventSourceMapping(this, 'Mapping', {
      batchSize: archive.batchSize,
      bisectBatchOnFunctionError: true,
      destinationConfig: { onFailure: { destination: failures.queue.queueArn } },
      eventSourceArn: stream.stream.streamArn,
      functionName: consumer.fn.functionName,
      functionResponseTypes: ['ReportBatchItemFailures'],
      maximumBatchingWindowInSeconds: archive.windowSeconds,
      maximumRecordAgeInSeconds: NO_MAXIMUM_AGE,
      maximumRetryAttempts: archive.retryAttempts,
      parallelizationFactor: 1,
      startingPosition: 'TRIM_HORIZON',
    });
    // Lambda checks the role when the mapping is created
    mapping.node.addDependency(consumer.role);
  }
}
