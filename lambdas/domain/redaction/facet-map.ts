import { plainName } from './names.ts';
import type { Treatment } from './treatment.ts';

/** Members by treatment: names joined by dots from the facet down, `*` for any name, `**` for any depth; items of arrays have no name. Names are compared without punctuation. */
type Members = Readonly<Partial<Record<Treatment, string>>>;

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

/** Where a value stands in a facet, as far as the map knows. Items of an array stand where the array does. */
export interface FacetNode {
  /** For this value. `drop` and `pseudonym` apply to everything in it but the members that are listed: {@link treatmentOfAll}. */
  readonly treatment?: Treatment;
  /** For a text here or below that has no treatment of its own. */
  readonly otherwise: Treatment;
  readonly members: ReadonlyMap<string, FacetNode>;
  readonly any?: FacetNode;
  /** Members may repeat themselves at any depth below. */
  readonly isDeep?: boolean;
}

interface MutableNode {
  treatment?: Treatment;
  otherwise: Treatment;
  members: Map<string, MutableNode>;
  any?: MutableNode;
  isDeep?: boolean;
}

function nodeOf(facet: Members, otherwise: Treatment): FacetNode {
  const root: MutableNode = { otherwise, members: new Map() };
  for (const [members, below] of [
    [FACET_HEAD, 'drop'],
    [facet, otherwise],
  ] as const) {
    for (const [treatment, paths] of Object.entries(members)) {
      for (const path of paths.split(' '))
        add(root, path.split('.'), treatment as Treatment, below);
    }
  }
  return root;
}

function add(
  root: MutableNode,
  path: readonly string[],
  treatment: Treatment,
  otherwise: Treatment,
): void {
  let node = root;
  for (const step of path) {
    if (step === '**') {
      node.isDeep = true;
      continue;
    }
    const name = plainName(step);
    const next = (step === '*' ? node.any : node.members.get(name)) ?? {
      otherwise,
      members: new Map(),
    };
    if (step === '*') node.any = next;
    else node.members.set(name, next);
    node = next;
  }
  if (path.at(-1) === '**') node.otherwise = treatment;
  else node.treatment = treatment;
}

/** A facet that nobody knows. */
export const UNKNOWN_FACET: FacetNode = { otherwise: 'scan', members: new Map() };
/** One that is dropped: what it is stays. */
export const DROPPED_FACET: FacetNode = {
  ...nodeOf({}, 'drop'),
  treatment: 'drop',
};

const NODES: ReadonlyMap<string, FacetNode> = new Map([
  ...Object.entries(INTEGRATION_FACETS).map(
    ([name, members]) => [plainName(name), nodeOf(members, 'scan')] as const,
  ),
  ...Object.entries(STANDARD_FACETS).map(
    ([name, members]) => [plainName(name), nodeOf(members, 'drop')] as const,
  ),
]);

/** The place of a facet by its name as sent; undefined for one that no table has. */
export function facetNode(facet: string): FacetNode | undefined {
  return NODES.get(plainName(facet));
}

/** The place of a member, by the place of its object. Names are compared as facets' are. */
export function memberNode(name: string, above: FacetNode): FacetNode {
  const forAll = treatmentOfAll(above);
  if (forAll !== undefined) {
    const found = above.members.get(plainName(name));
    return found ?? { treatment: forAll, otherwise: forAll, members: new Map() };
  }
  const found = above.members.get(plainName(name)) ?? above.any;
  if (found !== undefined) return found;
  return above.isDeep ? above : { otherwise: above.otherwise, members: new Map() };
}

/** What everything that is no text gets: where a statement or an error should stand, nothing else may. */
export function treatmentOfAll({ treatment }: FacetNode): 'drop' | 'pseudonym' | undefined {
  if (treatment === 'pseudonym') return treatment;
  return treatment !== undefined && TEXTS_ONLY.has(treatment) ? 'drop' : undefined;
}

const TEXTS_ONLY: ReadonlySet<Treatment> = new Set([
  'drop',
  'sql',
  'expression',
  'error',
  'command',
]);

/** What a text at a place gets. */
export function textTreatment(node: FacetNode): Treatment {
  return node.treatment ?? node.otherwise;
}

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
/** What a tag of the kept keys may say; anything else is scanned. */
const TAG_VALUE = /^[\w .:/+-]{0,64}$/;

/** Tags that controls and analysts read stay as they are: `lineage.*` and those that classify. */
export function treatmentOfTag(key: string, value: string): Treatment {
  const isKept = key.toLowerCase().startsWith('lineage.') || KEPT_TAGS.has(plainName(key));
  return isKept && TAG_VALUE.test(value) ? 'keep' : 'scan';
}
