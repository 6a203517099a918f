import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { retentionSetting } from '../config/retention-setting.ts';
import type { EvidenceResources } from './evidence-resources.ts';
import type { VaultFolder } from './evidence-vault.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

export interface ControlProps {
  readonly config: EnvironmentConfig;
  readonly resources: EvidenceResources;
}

interface ScheduledControlProps extends ControlProps, Omit<ServiceFunctionProps, 'timeout'> {
  readonly functionId: string;
  /** What the schedule is for. */
  readonly description: string;
  /** One of the configured ones, or one that follows from other settings. */
  readonly schedule: keyof EnvironmentConfig['schedules'] | Schedule;
  /**
   * Folders of the vault that it writes to.
   * @default - reports and findings
   */
  readonly writes?: readonly VaultFolder[];
}

/** The longest that Lambda runs: a control walks every version or every hour of its interval. */
const CONTROL_TIMEOUT = Duration.minutes(15);

/** A function that locks reports and findings, on a schedule and on demand. What it looks at, it is granted by its kind. */
export abstract class ScheduledControl extends Construct {
  readonly control: ServiceFunction;

  constructor(scope: Construct, id: string, props: ScheduledControlProps) {
    super(scope, id);
    const { config, description, environment, functionId, resources, schedule, writes, ...rest } =
      props;
    const { tables, vault } = resources;
    this.control = new ServiceFunction(this, functionId, {
      ...rest,
      config,
      timeout: CONTROL_TIMEOUT,
      environment: {
        VAULT_BUCKET_NAME: vault.bucket.bucketName,
        INDEX_TABLE_NAME: tables.index.table.tableName,
        RETENTION: JSON.stringify(retentionSetting(config)),
        ...environment,
      },
    });
    vault.grantFindOrWrite(this.control, ...(writes ?? (['reports', 'findings'] as const)));
    tables.index.grantPut(this.control);

    new Rule(this, 'Schedule', {
      description,
      schedule:
        typeof schedule === 'string' ? Schedule.expression(config.schedules[schedule]) : schedule,
      // the function computes asOf itself, so that a manual replay and the schedule take the same event
      targets: [new LambdaFunction(this.control.fn, { event: RuleTargetInput.fromObject({}) })],
    });
  }
}
