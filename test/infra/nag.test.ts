import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { createStage, type EnvironmentName, stageOf } from '../support/synth.ts';

const findings = (stage: ReturnType<typeof stageOf>) =>
  new AwsSolutionsChecks().validateScope(stage).violations;

describe('cdk-nag', () => {
  it.each(Object.keys(environments) as EnvironmentName[])('finds nothing in %s', (name) => {
    expect(findings(stageOf(name))).toEqual([]);
  });

  it('finds nothing behind a private endpoint with SigV4 and a managed log role', () => {
    const stage = createStage({
      ...environments.dev,
      endpoint: { kind: 'private', auth: 'iam', vpcEndpointIds: ['vpce-0a1b2c3d'] },
      gatewayAccountRole: 'create',
    });
    stage.synth();
    expect(findings(stage)).toEqual([]);
  });
});
