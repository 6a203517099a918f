import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { guardSetting } from './guard-setting.ts';
import { type ControlProps, ScheduledControl } from './scheduled-control.ts';

/** One vCPU, and room for the objects in flight, the leaves of a digest and the names of the chain. */
const MEMORY_MIB = 1769;

/** Verifies the chain, a slice of what it seals, the reports of the controls and the guards of the vault. */
export class Verifier extends ScheduledControl {
  constructor(scope: Construct, id: string, props: ControlProps) {
    const { config, resources } = props;
    const { hmacKeys, signing, vault } = resources;
    super(scope, id, {
      ...props,
      functionId: 'Verify',
      folder: 'verify',
      memorySize: MEMORY_MIB,
      environment: {
        GUARDS: Stack.of(scope).toJsonString(guardSetting(resources)),
        VERIFICATION_PERIOD_DAYS: `${config.verification.periodDays}`,
      },
      schedule: 'verify',
      description: 'Verifies the chain, a slice of what it seals, the reports and the guards',
    });
    vault.grantList(this.control);
    vault.grantReadAll(this.control);
    vault.grantReadGuards(this.control);
    signing.grantReadGuards(this.control);
    hmacKeys.grantReadGuards(this.control);
  }
}
