#!/usr/bin/env node
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { environments } from '../lib/config/environments.ts';
import { EvidenceStage } from '../lib/stages/evidence-stage.ts';

const app = new App();
for (const config of Object.values(environments)) {
  new EvidenceStage(app, { config });
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
