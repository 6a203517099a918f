#!/usr/bin/env node
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError } from '../lib/config/config-check.ts';
import { environments } from '../lib/config/environments.ts';
import { EvidenceStage } from '../lib/stages/evidence-stage.ts';

const app = new App();
for (const config of Object.values(environments)) {
  try {
    new EvidenceStage(app, { config });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The sentence alone: a stack would bury it.
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
