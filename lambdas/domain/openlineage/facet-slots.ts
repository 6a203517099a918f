/** Where a facet may stand: at a run, a job, any dataset, an input only, an output only. */
export type Slot = 'run' | 'job' | 'dataset' | 'input' | 'output';

/** The facets of the specification and its registry by slot (openlineage.md 1.5, August 2026). */
const FACETS: Readonly<Record<Slot, readonly string[]>> = {
  run: [
    'environmentVariables',
    'errorMessage',
    'executionParameters',
    'externalQuery',
    'extractionError',
    'gcp_composer_run',
    'gcp_dataproc',
    'jobDependencies',
    'nominalTime',
    'parent',
    'processing_engine',
    'tags',
    'test',
  ],
  job: [
    'documentation',
    'gcp_composer_job',
    'gcp_lineage',
    'jobType',
    'lineage',
    'ownership',
    'sourceCode',
    'sourceCodeLocation',
    'sql',
    'tags',
  ],
  dataset: [
    'catalog',
    'columnLineage',
    'dataQualityMetrics',
    'dataSource',
    'datasetType',
    'documentation',
    'hierarchy',
    'lifecycleStateChange',
    'lineage',
    'ownership',
    'schema',
    'storage',
    'symlinks',
    'tags',
    'version',
  ],
  input: [
    'dataQualityAssertions',
    'dataQualityMetrics',
    'icebergScanReport',
    'inputStatistics',
    'subset',
  ],
  output: ['icebergCommitReport', 'outputStatistics', 'subset'],
};

const SLOTS: ReadonlyMap<string, ReadonlySet<Slot>> = slotsByFacet();

/** Whether a facet may stand in a slot: one of the specification only where it is defined, any other everywhere. */
export function isFacetOf(name: string, slot: Slot): boolean {
  return SLOTS.get(name)?.has(slot) ?? true;
}

function slotsByFacet(): Map<string, Set<Slot>> {
  const slots = new Map<string, Set<Slot>>();
  for (const [slot, names] of Object.entries(FACETS) as Array<[Slot, readonly string[]]>) {
    for (const name of names) slots.set(name, (slots.get(name) ?? new Set()).add(slot));
  }
  return slots;
}
