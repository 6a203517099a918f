import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { retentionSetting } from '../config/retention-setting.ts';
import type { EvidenceResources } from './evidence-resources.ts';
import { ServiceFunction } from './service-function.ts';

export interface RetentionAuditProps {
  readonly config: EnvironmentConfig;
  readonly resources: EvidenceResources;
}

/** The longest that Lambda runs: an audit walks every version of its interval. */
const AUDIT_TIMEOUT = Duration.minutes(15);

/** Compares lineage and trace retention version by version, on a schedule and on demand. */
export class RetentionAudit extends Construct {
  readonly audit: ServiceFunction;

  constructor(scope: Construct, id: string, { config, resources }: RetentionAuditProps) {
    super(scope, id);
    const { tables, vault } = resources;
    this.audit = new ServiceFunction(this, 'AuditRetention', {
      config,
      folder: 'audit-retention',
      memorySize: 1024,
      timeout: AUDIT_TIMEOUT,
      environment: {
        VAULT_BUCKET_NAME: vault.bucket.bucketName,
        INDEX_TABLE_NAME: tables.index.table.tableName,
        RETENTION: JSON.stringify(retentionSetting(config)),
      },
    });
    vault.grantList(this.audit);
    vault.grantReadVersions(this.audit, 'lineage', 'traces');
    vault.grantInspect(this.audit, 'lineage', 'traces', 'quarantine');
    vault.grantWrite(this.audit, 'reports', 'findings');
    tables.index.grantQuery(this.audit);
    tables.index.grantPut(this.audit);
    tables.grantReadHours(this.audit);

    new Rule(this, 'Schedule', {
      description: 'Compares what the index says about retention with what S3 says',
      schedule: Schedule.expression(config.schedules.auditRetention),
      // the function computes asOf itself, so that a manual replay and the schedule take the same event
      targets: [new LambdaFunction(this.audit.fn, { event: RuleTargetInput.fromObject({}) })],
    });
  }
}
