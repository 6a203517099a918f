import type { Treatment } from './treatment.ts';

/** Members by treatment: names joined by dots from the facet down, `*` for any name, `**` for any depth; items of arrays have no name. Names are compared without punctuation. */
export type Members = Readonly<Partial<Record<Treatment, string>>>;

/**
 * The facets of the specification (core 2-0-2 and the registry, August 2026). A text that is not
 * listed is dropped: the standard says what each member means, so one it does not know may hold
 * anything. Numbers and booleans are kept unless their member, or one above it, is listed.
 */
export const STANDARD_FACETS: Readonly<Record<string, Members>> = {
  // Of a dataset.
  catalog: {
    keep: 'framework type',
    url: 'metadataUri warehouseUri catalogProperties.uri catalogProperties.warehouse',
    scan: 'name source',
    // Whatever a producer configures, credentials included.
    drop: 'catalogProperties',
  },
  columnLineage: {
    identity:
      'fields.*.inputFields.namespace fields.*.inputFields.name dataset.namespace dataset.name',
    column: 'fields.*.inputFields.field dataset.field',
    keep: 'fields.*.transformationType fields.*.inputFields.transformations.type fields.*.inputFields.transformations.subtype dataset.transformations.type dataset.transformations.subtype',
    expression:
      'fields.*.transformationDescription fields.*.inputFields.transformations.description dataset.transformations.description',
  },
  dataQualityAssertions: {
    keep: 'assertions.success assertions.severity assertions.type',
    column: 'assertions.column',
    sql: 'assertions.content',
    drop: 'assertions.expected assertions.actual assertions.params assertions.description',
    scan: 'assertions.assertion assertions.name',
  },
  dataQualityMetrics: {
    keep: 'rowCount bytes fileCount lastUpdated columnMetrics.*.nullCount columnMetrics.*.distinctCount columnMetrics.*.count',
    drop: 'columnMetrics.*.min columnMetrics.*.max columnMetrics.*.sum columnMetrics.*.quantiles',
  },
  datasetType: { keep: 'datasetType subType' },
  version: { keep: 'datasetVersion' },
  dataSource: { url: 'uri name' },
  hierarchy: { keep: 'hierarchy.type', identity: 'hierarchy.name' },
  lifecycleStateChange: {
    keep: 'lifecycleStateChange',
    identity: 'previousIdentifier.namespace previousIdentifier.name',
  },
  schema: {
    // Fields have fields of their own, as deep as a producer nests them.
    column: 'fields.**.name',
    keep: 'fields.**.type fields.**.ordinal_position',
    drop: 'fields.**.description',
  },
  storage: { keep: 'storageLayer fileFormat' },
  symlinks: { identity: 'identifiers.namespace identifiers.name', keep: 'identifiers.type' },
  // Of a dataset or a job.
  documentation: { keep: 'contentType', drop: 'description' },
  lineage: {
    keep: 'entries.type entries.inputs.type entries.fields.*.inputs.type inputs.type fields.*.inputs.type entries.inputs.transformations.type entries.inputs.transformations.subtype entries.fields.*.inputs.transformations.type entries.fields.*.inputs.transformations.subtype inputs.transformations.type inputs.transformations.subtype fields.*.inputs.transformations.type fields.*.inputs.transformations.subtype',
    identity:
      'entries.runId entries.inputs.runId entries.fields.*.inputs.runId inputs.runId fields.*.inputs.runId entries.namespace entries.name entries.inputs.namespace entries.inputs.name entries.fields.*.inputs.namespace entries.fields.*.inputs.name inputs.namespace inputs.name fields.*.inputs.namespace fields.*.inputs.name',
    column: 'entries.inputs.field entries.fields.*.inputs.field inputs.field fields.*.inputs.field',
    expression:
      'entries.inputs.transformations.description entries.fields.*.inputs.transformations.description inputs.transformations.description fields.*.inputs.transformations.description',
  },
  ownership: { pseudonym: 'owners.name', keep: 'owners.type' },
  // By key: treatmentOfTag.
  tags: { column: 'tags.field', scan: 'tags.key tags.source tags.value' },
  // Of an input or output.
  inputStatistics: { keep: 'rowCount size fileCount' },
  outputStatistics: { keep: 'rowCount size fileCount' },
  subset: {
    keep: 'inputCondition.type inputCondition.**.type outputCondition.type outputCondition.**.type inputCondition.**.comparison outputCondition.**.comparison inputCondition.**.operator outputCondition.**.operator',
    column: 'inputCondition.**.field outputCondition.**.field',
    drop: 'inputCondition.**.value outputCondition.**.value inputCondition.**.dimensions outputCondition.**.dimensions inputCondition.**.identifier outputCondition.**.identifier',
    url: 'inputCondition.locations outputCondition.locations',
  },
  icebergScanReport: {
    keep: 'snapshotId schemaId',
    column: 'projectedFieldNames',
    expression: 'filterDescription',
    drop: 'metadata',
  },
  icebergCommitReport: { keep: 'snapshotId sequenceNumber operation', drop: 'metadata' },
  // Of a job.
  jobType: { keep: 'processingType integration jobType emissionPattern.**' },
  sql: { sql: 'query', keep: 'dialect' },
  sourceCode: { keep: 'language', drop: 'sourceCode' },
  sourceCodeLocation: {
    keep: 'type pullRequestNumber',
    url: 'url repoUrl',
    scan: 'path version tag branch',
  },
  gcp_composer_job: {
    keep: 'airflowVersion composerVersion',
    scan: 'environmentName dagId operatorType',
  },
  gcp_lineage: { keep: 'origin.sourceType', scan: 'displayName', identity: 'origin.name' },
  // Of a run.
  environmentVariables: { scan: 'environmentVariables.name', drop: 'environmentVariables.value' },
  errorMessage: { error: 'message stackTrace', keep: 'programmingLanguage' },
  executionParameters: {
    scan: 'parameters.key',
    drop: 'parameters.name parameters.description parameters.value',
  },
  externalQuery: { identity: 'externalQueryId', url: 'source' },
  extractionError: {
    keep: 'totalTasks failedTasks errors.taskNumber',
    error: 'errors.errorMessage errors.stackTrace',
    sql: 'errors.task',
  },
  jobDependencies: {
    identity:
      'upstream.job.namespace upstream.job.name upstream.run.runId downstream.job.namespace downstream.job.name downstream.run.runId',
    keep: 'trigger_rule upstream.dependency_type upstream.sequence_trigger_rule upstream.status_trigger_rule downstream.dependency_type downstream.sequence_trigger_rule downstream.status_trigger_rule',
  },
  nominalTime: { keep: 'nominalStartTime nominalEndTime' },
  parent: {
    identity: 'run.runId job.namespace job.name root.run.runId root.job.namespace root.job.name',
    facets: 'run.facets job.facets root.run.facets root.job.facets',
  },
  processing_engine: { keep: 'version name openlineageAdapterVersion' },
  test: {
    keep: 'tests.status tests.severity tests.type tests.contentType',
    sql: 'tests.content',
    drop: 'tests.expected tests.actual tests.params tests.description',
    scan: 'tests.name',
  },
  gcp_composer_run: { scan: 'dagRunId' },
  gcp_dataproc: {
    scan: 'appId appName batchId clusterName clusterUuid jobId jobType jobUuid projectId queryNode sessionUuid',
    keep: 'sessionId',
    pseudonym: 'userId',
    drop: 'jobArgs jobProperties',
  },
};

/**
 * Facets that integrations add and that are known to hold more than names. A text of them that is
 * not listed is scanned.
 */
export const INTEGRATION_FACETS: Readonly<Record<string, Members>> = {
  'spark.logicalPlan': { drop: '*' },
  spark_unknown: { drop: 'inputs output' },
  spark_properties: {
    url: 'properties.sparkmaster',
    scan: 'properties.sparkappname',
    drop: 'properties',
  },
  spark_applicationDetails: {
    pseudonym: 'userName',
    url: 'uiWebUrl historyUrl proxyUrl',
  },
  spark_jobDetails: { sql: 'jobDescription' },
  'spark.exception': { drop: '*' },
  debug: { drop: '*' },
  'environment-properties': { drop: '*' },
  unknownSourceAttribute: { drop: 'unknownItems' },
  airflow: {
    drop: 'dagRun.conf dag.description task.args task.op_args task.op_kwargs task.params task.executor_config task.templates_dict task.env',
    command: 'task.bash_command',
    pseudonym: 'dag.owner task.owner task.run_as_user',
    url: 'taskInstance.log_url',
    sql: 'task.sql',
  },
  airflowDagRun: { drop: 'dagRun.conf', pseudonym: 'dag.owner' },
  airflow_version: { drop: 'taskInfo' },
  airflow_runArgs: { drop: '*' },
  dbt_model: {
    pseudonym: 'config.owner',
    expression: 'config.incremental.incremental_predicates',
    drop: 'raw_code compiled_code raw_sql compiled_sql',
  },
  dbt_node: { drop: 'raw_code compiled_code raw_sql compiled_sql' },
  dbt_exposures: { url: 'exposures.url', pseudonym: 'exposures.owner' },
  hive_session: { pseudonym: 'username clientIp sessionId' },
  hive_properties: { drop: 'properties' },
  trino_metadata: { drop: 'query_plan' },
  trino_query_context: { pseudonym: 'user principal source client_info remote_client_address' },
  great_expectations_meta: { drop: '*' },
  greatExpectations_assertions: { drop: '*' },
};

/** Members of every facet that say what it is, as texts and flags. */
export const FACET_HEAD: Members = { url: '_producer _schemaURL', keep: '_deleted' };

/** Keys of tags whose values are kept, by plain name, besides `lineage.*`. */
export const KEPT_TAGS: ReadonlySet<string> = new Set([
  'openlineageclientversion',
  'classification',
  'dataclassification',
  'sensitivity',
  'pii',
  'gdpr',
  'environment',
  'domain',
  'tier',
  'masking',
  'retention',
]);
