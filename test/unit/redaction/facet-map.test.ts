import { describe, expect, it } from 'vitest';
import {
  type FacetNode,
  facetNode,
  memberNode,
  textTreatment,
  treatmentOfAll,
  treatmentOfTag,
  UNKNOWN_FACET,
} from '../../../lambdas/domain/redaction/facet-map.ts';
import {
  INTEGRATION_FACETS,
  STANDARD_FACETS,
} from '../../../lambdas/domain/redaction/facet-table.ts';

/** The facets of `spec/facets` and the registry, August 2026. */
const SPECIFIED =
  'subset catalog columnLineage dataQualityAssertions dataQualityMetrics datasetType version dataSource documentation environmentVariables errorMessage executionParameters externalQuery extractionError hierarchy inputStatistics jobDependencies jobType lifecycleStateChange lineage nominalTime outputStatistics ownership parent processing_engine sql schema sourceCode sourceCodeLocation storage symlinks tags test gcp_composer_job gcp_composer_run gcp_dataproc gcp_lineage icebergCommitReport icebergScanReport'.split(
    ' ',
  );

function nodeAt(path: string): FacetNode {
  const [facet = '', ...members] = path.split(' ');
  return members.reduce((node, name) => memberNode(name, node), facetNode(facet) ?? UNKNOWN_FACET);
}
const treatment = (path: string) => textTreatment(nodeAt(path));

describe('the facet map', () => {
  it('has every facet of the specification and no other', () => {
    expect(Object.keys(STANDARD_FACETS).sort()).toEqual([...SPECIFIED].sort());
  });

  it.each([
    ['sql query', 'sql'],
    ['SQL QUERY', 'sql'],
    ['sql dialect', 'keep'],
    ['sql note', 'drop'],
    ['sql _producer', 'url'],
    ['errorMessage stackTrace', 'error'],
    ['extractionError errors task', 'sql'],
    ['sourceCode sourceCode', 'drop'],
    ['environmentVariables environmentVariables name', 'scan'],
    ['environmentVariables environmentVariables value', 'drop'],
    ['executionParameters parameters value deep er', 'drop'],
    ['dataQualityMetrics columnMetrics salary max', 'drop'],
    ['dataQualityMetrics columnMetrics max nullCount', 'keep'],
    ['dataQualityMetrics columnMetrics a quantiles 0.5', 'drop'],
    ['dataQualityAssertions assertions content', 'sql'],
    ['dataQualityAssertions assertions params value', 'drop'],
    ['columnLineage fields query transformationDescription', 'expression'],
    ['columnLineage fields owner inputFields field', 'column'],
    ['lineage entries fields c inputs transformations description', 'expression'],
    ['lineage fields c inputs transformations subtype', 'keep'],
    ['schema fields name', 'column'],
    ['schema fields fields fields name', 'column'],
    ['schema fields fields description', 'drop'],
    ['schema fields fields x', 'drop'],
    ['subset inputCondition left field', 'column'],
    ['subset inputCondition left left right value', 'drop'],
    ['subset inputCondition locations', 'url'],
    ['jobType emissionPattern eventContentMode', 'keep'],
    ['dataSource uri', 'url'],
    ['catalog catalogProperties anything', 'drop'],
    ['catalog catalogProperties warehouse', 'url'],
    ['catalog catalogProperties warehouse', 'url'],
    ['sql query text', 'drop'],
    ['errorMessage message deep er', 'drop'],
    ['lineage entries inputs runId', 'identity'],
    ['externalQuery externalQueryId', 'identity'],
    ['documentation description', 'drop'],
    ['tags tags key', 'scan'],
    ['parent root run facets', 'facets'],
    ['parent run runId', 'identity'],
    ['ownership owners name', 'pseudonym'],
    ['tags tags value', 'scan'],
    ['gcp_dataproc jobProperties spark.x', 'drop'],
    ['airflow dagRun conf a b', 'drop'],
    ['airflow dagRun run_id', 'scan'],
    ['airflow task bash_command', 'command'],
    ['spark.logicalPlan plan', 'drop'],
    ['spark_properties properties spark.master', 'url'],
    ['spark_properties properties spark.x.password', 'drop'],
    ['acme_unknown a b', 'scan'],
    ['acme_unknown _schemaURL', 'scan'],
  ])('%s: %s', (path, expected) => expect(treatment(path)).toBe(expected));

  it.each([
    ['sql query', 'drop'],
    ['errorMessage message', 'drop'],
    ['sourceCode sourceCode', 'drop'],
    ['ownership owners name', 'pseudonym'],
    ['dataSource uri', undefined],
    ['schema fields name', undefined],
  ])('where %s should stand, a number is for %s', (path, expected) =>
    expect(treatmentOfAll(nodeAt(path))).toBe(expected),
  );

  it('lists no integration facet that is a standard one', () => {
    expect(Object.keys(INTEGRATION_FACETS).filter((name) => name in STANDARD_FACETS)).toEqual([]);
  });

  it.each([
    ['lineage.derivation', 'parsed-intent', 'keep'],
    ['openlineage_client_version', '1.45.0', 'keep'],
    ['classification', 'PII', 'keep'],
    ['classification', 'jane@example.com', 'scan'],
    ['contact', 'jane', 'scan'],
  ])('a tag %s=%s is for %s', (key, value, expected) => {
    expect(treatmentOfTag(key, value)).toBe(expected);
  });
});
