import type { Construct } from 'constructs';
import { type ControlProps, ScheduledControl } from './scheduled-control.ts';

/** What outlives the evidence that it proves. */
const RECORDS = [
  'digests',
  'reports',
  'policies',
  'keys',
  'publicKeys',
  'producers',
  'holds',
  'erasures',
] as const;

/** Compares lineage and trace retention version by version, and extends what runs that go on need for longer. */
export class RetentionAudit extends ScheduledControl {
  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id, {
      ...props,
      functionId: 'AuditRetention',
      folder: 'audit-retention',
      memorySize: 1024,
      environment: { REPLICATED: String(props.config.replica !== undefined) },
      schedule: 'auditRetention',
      description:
        'Compares what the index says about retention with what S3 says, and extends locks',
    });
    const { tables, vault } = props.resources;
    vault.grantList(this.control);
    vault.grantReadVersions(this.control, 'lineage', 'traces');
    vault.grantInspect(this.control, 'quarantine');
    vault.grantExtend(this.control, 'lineage', 'traces', ...RECORDS);
    tables.index.grantQuery(this.control);
    tables.index.grantUpdate(this.control);
    tables.grantReadHours(this.control);
  }
}
