import type { Construct } from 'constructs';
import { type ControlProps, ScheduledControl } from './scheduled-control.ts';

/** Compares lineage and trace retention version by version. */
export class RetentionAudit extends ScheduledControl {
  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id, {
      ...props,
      functionId: 'AuditRetention',
      folder: 'audit-retention',
      memorySize: 1024,
      environment: {},
      schedule: 'auditRetention',
      description: 'Compares what the index says about retention with what S3 says',
    });
    const { tables, vault } = props.resources;
    vault.grantList(this.control);
    vault.grantReadVersions(this.control, 'lineage', 'traces');
    vault.grantInspect(this.control, 'lineage', 'traces', 'quarantine');
    tables.index.grantQuery(this.control);
    tables.grantReadHours(this.control);
  }
}
