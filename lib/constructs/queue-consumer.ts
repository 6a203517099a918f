import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FailureQueue } from './failure-queue.ts';
import type { ServiceFunction } from './service-function.ts';

export interface QueueConsumerProps {
  readonly consumer: ServiceFunction;
  readonly failures: FailureQueue;
}

/** Hands one failure message at a time to redrive: one record that crashes it takes no other along. */
export class QueueConsumer extends Construct {
  constructor(scope: Construct, id: string, { consumer, failures }: QueueConsumerProps) {
    super(scope, id);
    failures.grantConsume(consumer);
    const mapping = new CfnEventSourceMapping(this, 'Mapping', {
      batchSize: 1,
      eventSourceArn: failures.queue.queueArn,
      functionName: consumer.fn.functionName,
      functionResponseTypes: ['ReportBatchItemFailures'],
    });
    // Lambda checks the role when the mapping is created
    mapping.node.addDependency(consumer.role);
  }
}
