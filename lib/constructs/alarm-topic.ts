import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { customerKey } from './customer-key.ts';

export interface AlarmTopicProps {
  /** @default - nobody */
  readonly emails?: readonly string[];
}

/** Where alarms go: encrypted with a key that CloudWatch may use, which the AWS-managed key would not let it. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { emails = [] }: AlarmTopicProps) {
    super(scope, id);
    const cloudWatch = {
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
    };
    const key = customerKey(this, 'Key', 'Alarm notifications');
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        ...cloudWatch,
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'], // in a key policy, "*" is the key itself
      }),
    );
    this.topic = new Topic(this, 'Topic', { enforceSSL: true, masterKey: key });
    // a topic policy replaces the default one, which let the whole account publish
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        ...cloudWatch,
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
      }),
    );
    for (const email of emails) this.topic.addSubscription(new EmailSubscription(email));
  }
}
