import fc from 'fast-check';

/** 16 characters that no rule knows: where it is found, a value survived. */
export const CANARY = 'qZ7kanaryX93mPw2';

type Json = unknown;

/** Every place that the sensitive list names (issue 3, item 3), as facet name and content. */
const SENSITIVE_FACETS: ReadonlyArray<readonly [string, Json]> = [
  ['sql', { query: CANARY, dialect: 'spark' }],
  ['sql', CANARY],
  ['errorMessage', { message: CANARY, programmingLanguage: 'JAVA', stackTrace: `at ${CANARY}` }],
  [
    'extractionError',
    { totalTasks: 1, errors: [{ errorMessage: CANARY, stackTrace: CANARY, task: CANARY }] },
  ],
  ['sourceCode', { language: 'PYTHON', sourceCode: CANARY }],
  ['environmentVariables', { environmentVariables: [{ name: 'HOME', value: CANARY }] }],
  [
    'environmentVariables',
    { environmentVariables: { HOME: CANARY, nested: { name: 1, PATH: [CANARY] } } },
  ],
  ['environmentVariables', { environmentVariables: [`HOME=${CANARY}`] }],
  ['environment-properties', { 'environment-properties': { mount: CANARY } }],
  ['spark.logicalPlan', { plan: [{ class: CANARY }] }],
  ['spark_logicalPlan', { nodes: [CANARY] }],
  ['debug', { logical: { nodes: [CANARY] } }],
  ['spark_properties', { properties: { 'spark.master': CANARY } }],
  ['executionParameters', { parameters: [{ key: 'k', name: CANARY, value: CANARY }] }],
  ['ownership', { owners: [{ name: CANARY, type: 'OWNER' }] }],
  ['airflow_version', { taskInfo: { command: CANARY, x: [CANARY] } }],
  ['dataQualityMetrics', { columnMetrics: { a: { min: CANARY, quantiles: { '0.5': CANARY } } } }],
  [
    'dataQualityMetrics',
    { columnMetrics: { columnMetrics: { max: CANARY }, facets: { min: CANARY } } },
  ],
  ['dataQualityMetrics', { columnMetrics: { query: CANARY } }],
  ['dataQualityAssertions', { assertions: [{ content: CANARY, expected: CANARY }] }],
  [
    'columnLineage',
    { fields: { a: { transformationDescription: CANARY }, fields: { message: CANARY } } },
  ],
  ['documentation', { description: CANARY }],
  ['acme_custom', { deep: [{ notes: `SELECT x FROM t WHERE y = '${CANARY}'` }] }],
  ['acme_custom', { notes: `/* app */ -- one\n select*from t where y = '${CANARY}'` }],
  ['acme_custom', { notes: `select ${'a_column, '.repeat(60)} '${CANARY}' from t` }],
  ['acme_custom', { notes: `INSERT OVERWRITE TABLE t SELECT '${CANARY}'` }],
  ['acme_custom', { uri: `postgres://admin:${CANARY}@db.example/x` }],
  ['acme_custom', { uri: `postgres://admin:p@${CANARY}@db.example/x` }],
  ['acme_custom', { uri: `jdbc:oracle:thin:scott/${CANARY}@db.example:1521:orcl` }],
  ['acme_custom', { uri: `Endpoint=sb://x/;SharedAccessKey=${CANARY}` }],
  ['acme_custom', { header: `Bearer ${CANARY}` }],
  ['acme_custom', { password: CANARY, nested: { conf: { x: CANARY } }, args: [CANARY] }],
];

/** Members outside facets that are called like something sensitive. */
const SENSITIVE_MEMBERS: ReadonlyArray<readonly [string, Json]> = [
  ['sql', CANARY],
  ['query', { text: CANARY }],
  ['errorMessage', { message: CANARY }],
  ['environmentVariables', [{ name: 'A', value: CANARY }]],
  ['stack_trace', [CANARY]],
  ['description', CANARY],
];

type Slot = 'run' | 'job' | 'dataset' | 'input' | 'output' | 'parent' | 'root' | 'top';
type Facets = Record<string, Json>;

const slot: fc.Arbitrary<Slot> = fc.constantFrom(
  'run',
  'job',
  'dataset',
  'input',
  'output',
  'parent',
  'root',
  'top',
);
const kind = fc.constantFrom('run' as const, 'job' as const, 'dataset' as const);

/** An event of any kind with facets and members in one slot; `kind` decides which slots exist at all. */
function eventWith(
  kind: 'run' | 'job' | 'dataset',
  slot: Slot,
  facets: Facets,
  members: Facets,
): Facets {
  const inside = (own: Slot) => (own === slot ? { facets, ...members } : {});
  const parent = {
    run: { runId: 'p', ...inside('parent') },
    root: { run: { runId: 'r', ...inside('root') } },
  };
  const dataset = { namespace: 'ns', name: 'd', ...inside('dataset') };
  const job = { namespace: 'ns', name: 'j', ...inside('job') };
  return {
    eventTime: '2026-01-01T00:00:00Z',
    ...(slot === 'top' && { facets, ...members }),
    ...(kind === 'run' && {
      run: { runId: 'run-1', ...(slot === 'run' ? inside('run') : { facets: { parent } }) },
    }),
    ...(kind === 'dataset' ? { dataset } : { job }),
    ...(kind !== 'dataset' && {
      inputs: [dataset, { ...dataset, inputFacets: slot === 'input' ? facets : {} }],
      outputs: [{ ...dataset, outputFacets: slot === 'output' ? facets : {} }],
    }),
  };
}

const spelling = fc.record({
  escape: fc.boolean(),
  duplicate: fc.boolean(),
  indent: fc.constantFrom('', ' ', '\n\t'),
});

/** Prints with escaped names, duplicate members and white space that JSON.stringify would not write. */
function print(
  value: Json,
  style: { escape: boolean; duplicate: boolean; indent: string },
): string {
  if (Array.isArray(value))
    return `[${value.map((item) => print(item, style)).join(`,${style.indent}`)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const key = style.escape
      ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`
      : JSON.stringify(name);
    return `${key}${style.indent}:${print(member, style)}`;
  });
  return `{${style.indent}${[...members, ...(style.duplicate ? members : [])].join(',')}}`;
}

const otherCase = fc.constantFrom(
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

function renameFacets(facets: Facets, rename: (name: string) => string): Facets {
  return Object.fromEntries(Object.entries(facets).map(([name, value]) => [rename(name), value]));
}

/** The text of an event with canaries in a sensitive place, spelled in every way that JSON allows. */
export const sensitiveEvent: fc.Arbitrary<string> = fc
  .record({
    kind,
    slot,
    facet: fc.constantFrom(...SENSITIVE_FACETS),
    member: fc.option(fc.constantFrom(...SENSITIVE_MEMBERS)),
    rename: otherCase,
    spelling,
  })
  .map(({ kind, slot, facet, member, rename, spelling }) => {
    const [name, content] = facet;
    const facets = renameFacets(
      { [name]: content },
      name === 'columnLineage' ? (same) => same : rename,
    );
    const members = member ? renameFacets({ [member[0]]: member[1] }, rename) : {};
    return print(eventWith(kind, slot, facets, members), spelling);
  });

export const everySensitiveEvent: ReadonlyArray<readonly [string, string]> = SENSITIVE_FACETS.map(
  ([name, content]) => [
    `${name} ${JSON.stringify(content).slice(0, 60)}`,
    JSON.stringify(eventWith('run', 'run', { [name]: content }, {})),
  ],
);
