import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { AlarmTopic } from '../constructs/alarm-topic.ts';
import { EvidenceAlarms } from '../constructs/evidence-alarms.ts';
import { EvidenceDashboard } from '../constructs/evidence-dashboard.ts';
import type { WatchedParts } from '../constructs/watched-parts.ts';

export interface MonitoringStackProps extends StackProps {
  readonly config: EnvironmentConfig;
  readonly parts: WatchedParts;
}

/** Who is told, and what they see. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props);
    const { config, parts } = props;
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { emails: config.alarms.emails });
    const { alarms } = new EvidenceAlarms(this, 'Alarms', { parts, topic });
    const { dashboard } = new EvidenceDashboard(this, 'Overview', { alarms, parts });

    new CfnOutput(this, 'DashboardName', { value: dashboard.dashboardName });
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn });
  }
}
