import type { Construct } from 'constructs';
import { type ControlProps, ScheduledControl } from './scheduled-control.ts';

/** Reports what was refused in each hour. */
export class RejectionReports extends ScheduledControl {
  constructor(scope: Construct, id: string, props: ControlProps) {
    const { usage } = props.resources.tables;
    super(scope, id, {
      ...props,
      functionId: 'ReportRejections',
      folder: 'report-rejections',
      environment: { USAGE_TABLE_NAME: usage.table.tableName },
      schedule: 'reportRejections',
      description: 'Reports what was refused in each hour that is over',
    });
    usage.grantQuery(this.control);
  }
}
