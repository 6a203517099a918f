import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { retentionSetting } from '../config/retention-setting.ts';
import type { EvidenceResources } from './evidence-resources.ts';
import { ServiceFunction } from './service-function.ts';

export interface RejectionReportsProps {
  readonly config: EnvironmentConfig;
  readonly resources: EvidenceResources;
}

/** The longest interval that may be asked for is 744 hours, each a few queries and, the first time, puts. */
const REPORT_TIMEOUT = Duration.minutes(15);

/** Locks a report of what was refused in each hour, on a schedule and on demand. */
export class RejectionReports extends Construct {
  readonly report: ServiceFunction;

  constructor(scope: Construct, id: string, { config, resources }: RejectionReportsProps) {
    super(scope, id);
    const { tables, vault } = resources;
    this.report = new ServiceFunction(this, 'ReportRejections', {
      config,
      folder: 'report-rejections',
      timeout: REPORT_TIMEOUT,
      environment: {
        VAULT_BUCKET_NAME: vault.bucket.bucketName,
        INDEX_TABLE_NAME: tables.index.table.tableName,
        USAGE_TABLE_NAME: tables.usage.table.tableName,
        RETENTION: JSON.stringify(retentionSetting(config)),
      },
    });
    vault.grantWrite(this.report, 'reports', 'findings');
    tables.usage.grantQuery(this.report);
    tables.index.grantPut(this.report);

    new Rule(this, 'Schedule', {
      description: 'Reports what was refused in each hour that is over',
      schedule: Schedule.expression(config.schedules.reportRejections),
      // the function computes asOf itself, so that a manual replay and the schedule take the same event
      targets: [new LambdaFunction(this.report.fn, { event: RuleTargetInput.fromObject({}) })],
    });
  }
}
