import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { redactionSetting } from '../config/redaction-setting.ts';
import { retentionSetting } from '../config/retention-setting.ts';
import type { EvidenceResources } from './evidence-resources.ts';
import { REDRIVE_TIMEOUT } from './failure-queue.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { ServiceFunction } from './service-function.ts';
import { StreamConsumer } from './stream-consumer.ts';

export interface ArchiveLineProps {
  readonly config: EnvironmentConfig;
  readonly resources: EvidenceResources;
}

const ARCHIVE_TIMEOUT = Duration.minutes(1);

/** Memory buys CPU: redaction and gzip are all that archive does besides waiting. */
const ARCHIVE_MEMORY_MIB = 1024;

/** From the streams into vault, staging and index; what fails comes back through redrive. */
export class ArchiveLine extends Construct {
  readonly archive: ServiceFunction;
  readonly archiveTraces: ServiceFunction;
  readonly redrive: ServiceFunction;

  constructor(scope: Construct, id: string, props: ArchiveLineProps) {
    super(scope, id);
    const { config, resources } = props;
    const { hmacKeys, lineage, lineageFailures, staging, subjectKeys } = resources;
    const { tables, traces, tracesFailures, vault } = resources;
    const storeEnvironment = {
      VAULT_BUCKET_NAME: vault.bucket.bucketName,
      INDEX_TABLE_NAME: tables.index.table.tableName,
      RETENTION: JSON.stringify(retentionSetting(config)),
    };
    const archiveEnvironment = {
      ...storeEnvironment,
      ...redactionSetting(config),
      PRODUCERS_TABLE_NAME: tables.producers.table.tableName,
      SUBJECTS_TABLE_NAME: subjectKeys.keys.table.tableName,
    };
    const archiving = {
      config,
      memorySize: ARCHIVE_MEMORY_MIB,
      timeout: ARCHIVE_TIMEOUT,
      reservedConcurrency: config.reservedConcurrency?.archive,
    };

    this.archive = new ServiceFunction(this, 'Archive', {
      ...archiving,
      folder: 'archive',
      environment: {
        ...archiveEnvironment,
        TRACE_CONTEXT_FACETS: config.join.traceContextFacets.join(','),
      },
    });
    vault.grantFindOrWrite(this.archive, 'lineage', 'traces', 'quarantine', 'findings', 'policies');
    staging.grantReadVersions(this.archive);
    vault.grantHold(this.archive, ['lineage', 'traces'], { onlyOn: true });

    this.archiveTraces = new ServiceFunction(this, 'ArchiveTraces', {
      ...archiving,
      folder: 'archive-traces',
      environment: {
        ...archiveEnvironment,
        STAGING_BUCKET_NAME: staging.bucket.bucketName,
        RUN_ID_ATTRIBUTES: config.join.runIdAttributes.join(','),
      },
    });
    vault.grantFindOrWrite(this.archiveTraces, 'traces', 'quarantine', 'findings', 'policies');
    staging.grantWrite(this.archiveTraces);
    staging.grantReadVersions(this.archiveTraces);
    vault.grantHold(this.archiveTraces, ['traces'], { onlyOn: true });

    for (const fn of [this.archive, this.archiveTraces]) {
      // pseudonyms and fingerprints are made with the key that a record was accepted under
      tables.grantReadEpochs(fn);
      hmacKeys.grantUnwrap(fn);
      subjectKeys.grantGetOrMake(fn);
      // promotion gets the row that it replaces
      tables.index.grantGet(fn);
      // what is stored already is not stored again
      tables.index.grantBatchGet(fn);
      tables.index.grantQuery(fn);
      tables.index.grantPut(fn);
    }

    this.redrive = new ServiceFunction(this, 'Redrive', {
      config,
      folder: 'redrive',
      timeout: REDRIVE_TIMEOUT,
      environment: {
        ...storeEnvironment,
        LINEAGE_STREAM_NAME: lineage.stream.streamName,
        TRACES_STREAM_NAME: traces.stream.streamName,
        ARCHIVE_FUNCTION_NAME: this.archive.fn.functionName,
        ARCHIVE_TRACES_FUNCTION_NAME: this.archiveTraces.fn.functionName,
      },
    });
    lineage.grantReadBack(this.redrive);
    traces.grantReadBack(this.redrive);
    vault.grantWrite(this.redrive, 'quarantine', 'findings');
    tables.index.grantPut(this.redrive);
    this.redrive.allow(
      ['lambda:InvokeFunction'],
      [this.archive.fn.functionArn, this.archiveTraces.fn.functionArn],
    );

    const { archive } = config;
    new StreamConsumer(this, 'Lineage', {
      archive,
      consumer: this.archive,
      failures: lineageFailures,
      stream: lineage,
    });
    new StreamConsumer(this, 'Traces', {
      archive,
      consumer: this.archiveTraces,
      failures: tracesFailures,
      stream: traces,
    });
    new QueueConsumer(this, 'LineageFailures', {
      consumer: this.redrive,
      failures: lineageFailures,
    });
    new QueueConsumer(this, 'TracesFailures', { consumer: this.redrive, failures: tracesFailures });
  }
}
