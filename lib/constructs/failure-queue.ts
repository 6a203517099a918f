import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';

/** Time that redrive may take for one message: it names up to a batch of records, each archived on its own. */
export const REDRIVE_TIMEOUT = Duration.minutes(5);

/** Lambda asks for six times the function's time, so that throttled polls do not count as tries. */
const VISIBILITY_FACTOR = 6;

/** Tries before a message is set aside for a person. */
const MAX_RECEIVES = 5;

/** The longest that SQS keeps a message; both queues hold sequence numbers, never a payload. */
const MESSAGE_RETENTION = Duration.days(14);

/** Sequence numbers that the archive could not store, and those that redrive could not either. */
export class FailureQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      retentionPeriod: MESSAGE_RETENTION,
    };
    this.deadLetters = new Queue(this, 'DeadLetters', common);
    this.queue = new Queue(this, 'Queue', {
      ...common,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
      visibilityTimeout: Duration.seconds(REDRIVE_TIMEOUT.toSeconds() * VISIBILITY_FACTOR),
    });
    acknowledge(
      this.deadLetters,
      'This queue is itself the dead letter queue.',
      'AwsSolutions-SQS3',
    );
  }

  grantSend(fn: ServiceFunction): void {
    fn.allow(['sqs:SendMessage'], [this.queue.queueArn]);
  }

  grantConsume(fn: ServiceFunction): void {
    fn.allow(
      ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      [this.queue.queueArn],
    );
  }
}
