import { App } from 'aws-cdk-lib';
import type { AdoptedResources } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { EvidenceStage } from '../../lib/stages/evidence-stage.ts';

/** A CDK app whose one stage adopts what the context names: `--context adopt=<JSON>`. */
const app = new App();
const adopt = JSON.parse(app.node.tryGetContext('adopt')) as AdoptedResources;
new EvidenceStage(app, { config: { ...environments.local, name: 'adopted', adopt } });
