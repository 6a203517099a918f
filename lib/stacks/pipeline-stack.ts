import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { ArchiveLine } from '../constructs/archive-line.ts';
import type { EvidenceResources } from '../constructs/evidence-resources.ts';
import { FrontDoor } from '../constructs/front-door.ts';
import { HoldReconciliation } from '../constructs/hold-reconciliation.ts';
import { IndexRebuild } from '../constructs/index-rebuild.ts';
import { RejectionReports } from '../constructs/rejection-reports.ts';
import { RetentionAudit } from '../constructs/retention-audit.ts';
import { Sealer } from '../constructs/sealer.ts';
import { Verifier } from '../constructs/verifier.ts';

export interface PipelineStackProps extends StackProps {
  readonly config: EnvironmentConfig;
  readonly resources: EvidenceResources;
}

/** Everything that computes: functions, API and schedules, replaceable at any time. */
export class PipelineStack extends Stack {
  readonly frontDoor: FrontDoor;
  readonly archiveLine: ArchiveLine;
  readonly retentionAudit: RetentionAudit;
  readonly rejectionReports: RejectionReports;
  readonly holdReconciliation: HoldReconciliation;
  readonly sealer: Sealer;
  readonly verifier: Verifier;

  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    super(scope, id, props);
    const { config, resources } = props;
    this.frontDoor = new FrontDoor(this, 'FrontDoor', { config, resources });
    this.archiveLine = new ArchiveLine(this, 'ArchiveLine', { config, resources });
    this.retentionAudit = new RetentionAudit(this, 'RetentionAudit', { config, resources });
    this.rejectionReports = new RejectionReports(this, 'RejectionReports', { config, resources });
    this.sealer = new Sealer(this, 'Sealer', { config, resources });
    this.verifier = new Verifier(this, 'Verifier', { config, resources });
    const { stateMachine, worker } = new IndexRebuild(this, 'IndexRebuild', { config, resources });

    this.holdReconciliation = new HoldReconciliation(this, 'HoldReconciliation', {
      config,
      resources,
    });

    const { api, holds, ingest, ingestTraces, producers, query } = this.frontDoor;
    const { archive, archiveTraces, redrive } = this.archiveLine;
    const outputs: Record<string, string> = {
      ApiUrl: api.url,
      ApiId: api.api.restApiId,
      ApiStageName: api.api.deploymentStage.stageName,
      ...api.outputs,
      IngestFunctionName: ingest.fn.functionName,
      IngestTracesFunctionName: ingestTraces.fn.functionName,
      ArchiveFunctionName: archive.fn.functionName,
      ArchiveTracesFunctionName: archiveTraces.fn.functionName,
      RedriveFunctionName: redrive.fn.functionName,
      ProducersFunctionName: producers.fn.functionName,
      HoldsFunctionName: holds.fn.functionName,
      QueryFunctionName: query.fn.functionName,
      AuditRetentionFunctionName: this.retentionAudit.control.fn.functionName,
      ReconcileHoldsFunctionName: this.holdReconciliation.control.fn.functionName,
      RebuildIndexFunctionName: worker.fn.functionName,
      RebuildIndexStateMachineArn: stateMachine.stateMachineArn,
      ReportRejectionsFunctionName: this.rejectionReports.control.fn.functionName,
      SealFunctionName: this.sealer.control.fn.functionName,
      VerifyFunctionName: this.verifier.control.fn.functionName,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
