import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { EvidenceResources } from './evidence-resources.ts';
import type { ServiceFunction } from './service-function.ts';

/** What alarms and dashboard look at. */
export interface WatchedParts {
  readonly resources: EvidenceResources;
  readonly api: RestApi;
  readonly archive: ServiceFunction;
  readonly archiveTraces: ServiceFunction;
  readonly audit: ServiceFunction;
  readonly holds: ServiceFunction;
  readonly ingest: ServiceFunction;
  readonly ingestTraces: ServiceFunction;
  readonly producers: ServiceFunction;
  readonly reconcileHolds: ServiceFunction;
  readonly redrive: ServiceFunction;
  readonly reportRejections: ServiceFunction;
  readonly seal: ServiceFunction;
  /** A head of the digest chain that ended longer ago than this is too old. */
  readonly sealOverdueSeconds: number;
  readonly verify: ServiceFunction;
}
