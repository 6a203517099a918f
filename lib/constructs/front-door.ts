import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { HOLD_ROLES_PATH } from '../../lambdas/domain/audit/guard-policy.ts';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { retentionSetting } from '../config/retention-setting.ts';
import { EvidenceApi } from './evidence-api.ts';
import type { EvidenceResources } from './evidence-resources.ts';
import { grantHolding } from './hold-reconciliation.ts';
import { ServiceFunction } from './service-function.ts';

export interface FrontDoorProps {
  readonly config: EnvironmentConfig;
  readonly resources: EvidenceResources;
}

/** Below the 29 s of the gateway, so that the function's own answer wins. */
const REQUEST_TIMEOUT = Duration.seconds(25);

/**
 * Memory buys CPU: the dearest body that is accepted takes half a second of a whole processor, and a producer gives
 * up after 4 s.
 */
const ACCEPTING_MEMORY_MIB = 1024;

/** The API with the five functions behind it. */
export class FrontDoor extends Construct {
  readonly ingest: ServiceFunction;
  readonly ingestTraces: ServiceFunction;
  readonly query: ServiceFunction;
  readonly producers: ServiceFunction;
  readonly holds: ServiceFunction;
  readonly api: EvidenceApi;

  constructor(scope: Construct, id: string, { config, resources }: FrontDoorProps) {
    super(scope, id);
    const { hmacKeys, lineage, staging, tables, traces, vault } = resources;
    const accepting = {
      config,
      memorySize: ACCEPTING_MEMORY_MIB,
      timeout: REQUEST_TIMEOUT,
      reservedConcurrency: config.reservedConcurrency?.ingest,
    };
    const producersEnvironment = {
      PRODUCERS_TABLE_NAME: tables.producers.table.tableName,
      KEY_CACHE_SECONDS: `${config.keyCacheSeconds}`,
      AUTH_MODE: config.endpoint.auth,
    };
    const acceptEnvironment = {
      ...producersEnvironment,
      USAGE_TABLE_NAME: tables.usage.table.tableName,
      MAX_RECORD_BYTES: `${config.streams.maxRecordBytes}`,
    };

    this.ingest = new ServiceFunction(this, 'Ingest', {
      ...accepting,
      folder: 'ingest',
      environment: { ...acceptEnvironment, LINEAGE_STREAM_NAME: lineage.stream.streamName },
    });
    lineage.grantPublish(this.ingest);

    this.ingestTraces = new ServiceFunction(this, 'IngestTraces', {
      ...accepting,
      folder: 'ingest-traces',
      environment: { ...acceptEnvironment, TRACES_STREAM_NAME: traces.stream.streamName },
    });
    traces.grantPublish(this.ingestTraces);

    this.query = new ServiceFunction(this, 'Query', {
      config,
      folder: 'query',
      timeout: REQUEST_TIMEOUT,
      reservedConcurrency: config.reservedConcurrency?.query,
      environment: {
        ...producersEnvironment,
        INDEX_TABLE_NAME: tables.index.table.tableName,
        LINEAGE_STREAM_NAME: lineage.stream.streamName,
      },
    });
    vault.grantReadVersions(this.query, 'lineage', 'traces', 'digests', 'publicKeys');
    vault.grantInspect(this.query, 'lineage', 'traces');
    vault.grantList(this.query);
    staging.grantReadVersions(this.query);
    tables.index.grantQuery(this.query);
    lineage.grantProbe(this.query);

    this.producers = new ServiceFunction(this, 'Producers', {
      config,
      folder: 'producers',
      timeout: REQUEST_TIMEOUT,
      reservedConcurrency: config.reservedConcurrency?.producers,
      environment: {
        ...producersEnvironment,
        VAULT_BUCKET_NAME: vault.bucket.bucketName,
        RETENTION: JSON.stringify(retentionSetting(config)),
      },
    });
    vault.grantFindOrWrite(this.producers, 'producers');
    tables.producers.grantGet(this.producers);
    tables.producers.grantQuery(this.producers);
    tables.producers.grantPutTogether(this.producers);

    this.holds = new ServiceFunction(this, 'Holds', {
      config,
      folder: 'holds',
      rolePath: HOLD_ROLES_PATH,
      timeout: REQUEST_TIMEOUT,
      reservedConcurrency: config.reservedConcurrency?.holds,
      environment: {
        ...producersEnvironment,
        VAULT_BUCKET_NAME: vault.bucket.bucketName,
        INDEX_TABLE_NAME: tables.index.table.tableName,
        RETENTION: JSON.stringify(retentionSetting(config)),
      },
    });
    grantHolding(this.holds, resources);
    tables.index.grantPut(this.holds);
    tables.producers.grantGet(this.holds);

    for (const fn of [this.ingest, this.ingestTraces, this.query]) {
      tables.producers.grantGet(fn);
      tables.producers.grantQuery(fn);
      hmacKeys.grantUnwrap(fn);
    }

    for (const fn of [this.ingest, this.ingestTraces]) tables.usage.grantUpdate(fn);

    this.api = new EvidenceApi(this, 'Gateway', {
      config,
      ingest: this.ingest,
      ingestTraces: this.ingestTraces,
      query: this.query,
      producers: this.producers,
      holds: this.holds,
    });
  }
}
