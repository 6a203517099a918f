import type { Construct } from 'constructs';
import { HOLD_ROLES_PATH } from '../../lambdas/domain/audit/guard-policy.ts';
import type { EvidenceResources } from './evidence-resources.ts';
import { type ControlProps, ScheduledControl } from './scheduled-control.ts';
import type { ServiceFunction } from './service-function.ts';

/** Makes the legal hold of every version say how the holds stand. */
export class HoldReconciliation extends ScheduledControl {
  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id, {
      ...props,
      functionId: 'ReconcileHolds',
      folder: 'reconcile-holds',
      memorySize: 1024,
      environment: {},
      rolePath: HOLD_ROLES_PATH,
      schedule: 'reconcileHolds',
      description: 'Sets and lifts legal holds that nobody has set or lifted yet',
    });
    grantHolding(this.control, props.resources);
  }
}

/** What it takes to set and lift holds: the runs and traces of the index, the versions, the digests, own documents. */
export function grantHolding(fn: ServiceFunction, { tables, vault }: EvidenceResources): void {
  const folders = ['lineage', 'traces', 'digests', 'holds'] as const;
  vault.grantHold(fn, folders);
  vault.grantInspect(fn, ...folders);
  vault.grantFindOrWrite(fn, 'holds');
  vault.grantReadVersions(fn, 'digests', 'publicKeys');
  vault.grantList(fn);
  tables.index.grantQuery(fn);
}
