import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';

/** Logs are no evidence: they go with their stack and are kept as long as the environment says. */
export function logGroup(scope: Construct, id: string, config: EnvironmentConfig): LogGroup {
  return new LogGroup(scope, id, {
    removalPolicy: RemovalPolicy.DESTROY,
    retention: config.logRetentionDays as RetentionDays, // validated against the enum
  });
}
