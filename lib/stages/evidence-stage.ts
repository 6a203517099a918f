import { Stage, type StageProps, Tags, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { validateEnvironmentConfig } from '../config/validate-environment-config.ts';
import { overdueSeconds } from '../constructs/sealer.ts';
import { DataStack } from '../stacks/data-stack.ts';
import { MonitoringStack } from '../stacks/monitoring-stack.ts';
import { PipelineStack } from '../stacks/pipeline-stack.ts';
import { VaultChecks } from '../validation/vault-checks.ts';

export interface EvidenceStageProps extends StageProps {
  readonly config: EnvironmentConfig;
}

/** One deployment of the evidence store; throws a `ConfigError` before anything is built. */
export class EvidenceStage extends Stage {
  readonly data: DataStack;
  readonly pipeline: PipelineStack;
  readonly monitoring: MonitoringStack;

  constructor(scope: Construct, props: EvidenceStageProps) {
    const { config, ...rest } = props;
    validateEnvironmentConfig(config);
    super(scope, `LineageEvidence-${config.name}`, {
      env: { account: config.account, region: config.region },
      ...rest,
    });

    this.data = new DataStack(this, 'Data', {
      config,
      description: 'Evidence: vault, streams, tables, queues and keys',
      terminationProtection: config.kind !== 'emulator',
    });
    const { resources } = this.data;
    this.pipeline = new PipelineStack(this, 'Pipeline', {
      config,
      description: 'Evidence: front door, archive and audits',
      resources,
    });
    const { archiveLine, frontDoor, holdReconciliation, rejectionReports } = this.pipeline;
    const { retentionAudit, sealer, verifier } = this.pipeline;
    this.monitoring = new MonitoringStack(this, 'Monitoring', {
      config,
      description: 'Evidence: alarms and dashboard',
      parts: {
        api: frontDoor.api.api,
        archive: archiveLine.archive,
        archiveTraces: archiveLine.archiveTraces,
        audit: retentionAudit.control,
        holds: frontDoor.holds,
        ingest: frontDoor.ingest,
        ingestTraces: frontDoor.ingestTraces,
        producers: frontDoor.producers,
        reconcileHolds: holdReconciliation.control,
        redrive: archiveLine.redrive,
        reportRejections: rejectionReports.control,
        resources,
        seal: sealer.control,
        sealOverdueSeconds: overdueSeconds(config),
        verify: verifier.control,
      },
    });

    Validations.of(this).addPlugins(new VaultChecks(config.retention));
    Tags.of(this).add('environment', config.name);
    Tags.of(this).add('service', 'lineage-evidence');
    Tags.of(this).add('data-classification', 'confidential');
  }
}
