import { ArnFormat, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';

/** The one role that may change the guards of the vault: the configured one, or the bootstrap's CloudFormation role. */
export function deploymentRoleArn(scope: Construct, { guards }: EnvironmentConfig): string {
  const stack = Stack.of(scope);
  const qualifier =
    stack.synthesizer.bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  return (
    guards.deploymentRoleArn ??
    stack.formatArn({
      service: 'iam',
      region: '',
      resource: 'role',
      resourceName: `cdk-${qualifier}-cfn-exec-role-${stack.account}-${stack.region}`,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    })
  );
}
