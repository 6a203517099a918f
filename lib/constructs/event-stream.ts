import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  type CfnStream,
  type IStream,
  Stream,
  StreamEncryption,
  StreamMode,
} from 'aws-cdk-lib/aws-kinesis';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { AdoptedResources, StreamConfig } from '../config/environment-config.ts';
import { acknowledge } from './acknowledge.ts';
import { customerKey } from './customer-key.ts';
import type { ServiceFunction } from './service-function.ts';

export interface EventStreamProps extends StreamConfig {
  /** What the stream holds, for the description of its key. */
  readonly content: string;
  /** A stream that stands, with what nobody has read. @default - a new one */
  readonly adopted?: AdoptedResources['lineage'] | undefined;
}

/** A raw zone: accepted records before redaction, under a key of their own, for as long as an outage may last. */
export class EventStream extends Construct {
  readonly stream: IStream;
  readonly key: IKey;

  constructor(scope: Construct, id: string, props: EventStreamProps) {
    super(scope, id);
    const { adopted, capacity } = props;
    if (adopted) {
      this.key = Key.fromKeyArn(this, 'Key', adopted.keyArn);
      this.stream = Stream.fromStreamArn(this, 'Stream', adopted.streamArn);
      return;
    }
    this.key = customerKey(this, 'Key', `${props.content} between acceptance and archive`);
    this.stream = new Stream(this, 'Stream', {
      encryption: StreamEncryption.KMS,
      encryptionKey: this.key,
      removalPolicy: RemovalPolicy.RETAIN,
      retentionPeriod: Duration.hours(props.retentionHours),
      ...(capacity.mode === 'provisioned'
        ? { streamMode: StreamMode.PROVISIONED, shardCount: capacity.shards }
        : { streamMode: StreamMode.ON_DEMAND }),
    });
    const resource = this.stream.node.defaultChild as CfnStream;
    resource.maxRecordSizeInKiB = props.maxRecordBytes / 1024;
    acknowledge(
      this.stream,
      'Encrypted with a key of its own, so that only the archive functions can read raw events.',
      'AwsSolutions-KDS3',
    );
  }

  grantPublish(fn: ServiceFunction): void {
    fn.allow(['kinesis:PutRecords'], [this.stream.streamArn]);
    fn.allow(['kms:GenerateDataKey'], [this.key.keyArn]);
  }

  /** What an event source mapping asks of the function that it feeds. */
  grantConsume(fn: ServiceFunction): void {
    fn.allow(
      [
        'kinesis:DescribeStream',
        'kinesis:DescribeStreamSummary',
        'kinesis:GetRecords',
        'kinesis:GetShardIterator',
        'kinesis:ListShards',
      ],
      [this.stream.streamArn],
    );
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  /** Known sequence numbers only: no listing of shards. */
  grantReadBack(fn: ServiceFunction): void {
    fn.allow(['kinesis:GetRecords', 'kinesis:GetShardIterator'], [this.stream.streamArn]);
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  /** Every shard, for what it took; the records come along and are dropped. */
  grantCount(fn: ServiceFunction): void {
    fn.allow(
      [
        'kinesis:DescribeStreamSummary',
        'kinesis:GetRecords',
        'kinesis:GetShardIterator',
        'kinesis:ListShards',
      ],
      [this.stream.streamArn],
    );
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  grantProbe(fn: ServiceFunction): void {
    fn.allow(['kinesis:DescribeStreamSummary'], [this.stream.streamArn]);
  }
}
