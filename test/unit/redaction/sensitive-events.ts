import fc from 'fast-check';

/** 16 characters that no rule knows: where it is found, a value survived. */
export const CANARY = 'qZ7kanaryX93mPw2';
/** Another, of the same length and kind. */
export const OTHER_CANARY = 'xW4sparrowT81bKu';

type Json = unknown;

/** A facet or a member by name, and what is in it when a value is there. */
type Holder = readonly [name: string, content: (value: string) => Json];

const statement = (value: string) => `SELECT a FROM t WHERE b = '${value}'`;

/** Every kind of place that a rule covers, with a value in it in a form that the rule is for. */
const SENSITIVE_FACETS: readonly Holder[] = [
  ['sql', (v) => ({ query: v, dialect: 'spark' })],
  ['sql', (v) => ({ query: statement(v), dialect: 'postgres' })],
  ['sql', (v) => ({ query: [statement(v), { text: v }], dialect: 'mysql' })],
  ['sql', (v) => v],
  ['sql', (v) => [v, [{ query: `/* ${v} */ SELECT 1` }]]],
  ['errorMessage', (v) => ({ message: v, programmingLanguage: 'JAVA', stackTrace: `at ${v}` })],
  ['errorMessage', (v) => ({ message: `Key (mail)=(${v}) already exists.`, stackTrace: [v] })],
  [
    'extractionError',
    (v) => ({ totalTasks: 1, errors: [{ errorMessage: v, stackTrace: v, task: statement(v) }] }),
  ],
  ['sourceCode', (v) => ({ language: 'PYTHON', sourceCode: v, [`api_${v.length}`]: v })],
  ['environmentVariables', (v) => ({ environmentVariables: [{ name: 'HOME', value: v }] })],
  [
    'environmentVariables',
    (v) => ({ environmentVariables: { HOME: v, nested: { name: 1, PATH: [v] } } }),
  ],
  ['environmentVariables', (v) => ({ environmentVariables: [`HOME=${v}`, { value: { a: v } }] })],
  ['environment-properties', (v) => ({ 'environment-properties': { mount: v } })],
  ['spark.logicalPlan', (v) => ({ plan: [{ class: v }] })],
  ['spark_logicalPlan', (v) => ({ nodes: [v] })],
  ['spark_unknown', (v) => ({ inputs: [{ description: { x: v } }], output: v })],
  ['debug', (v) => ({ logical: { nodes: [v] } })],
  ['spark_properties', (v) => ({ properties: { 'spark.x': v, 'spark.master': `x://u:${v}@h` } })],
  ['spark_applicationDetails', (v) => ({ userName: v, uiWebUrl: `https://h/?token=${v}` })],
  ['spark_jobDetails', (v) => ({ jobDescription: statement(v) })],
  ['executionParameters', (v) => ({ parameters: [{ key: 'k', name: v, value: { a: [v] } }] })],
  ['ownership', (v) => ({ owners: [{ name: v, type: 'OWNER' }] })],
  [
    'airflow',
    (v) => ({
      dag: { owner: v, description: v },
      dagRun: { conf: { x: v } },
      task: { args: [v], sql: statement(v), bash_command: `run --password ${v}` },
    }),
  ],
  ['airflow_version', (v) => ({ taskInfo: { command: v, x: [v] } })],
  ['unknownSourceAttribute', (v) => ({ unknownItems: [{ properties: { x: v } }] })],
  ['dbt_model', (v) => ({ raw_code: v, config: { owner: v } })],
  ['hive_session', (v) => ({ username: v, clientIp: v, sessionId: v })],
  ['trino_metadata', (v) => ({ query_plan: v })],
  ['trino_query_context', (v) => ({ user: v, principal: v })],
  ['great_expectations_meta', (v) => ({ batch_spec: { query: v } })],
  ['gcp_dataproc', (v) => ({ userId: v, jobArgs: [v], jobProperties: { a: v } })],
  ['dataQualityMetrics', (v) => ({ columnMetrics: { a: { min: v, quantiles: { '0.5': v } } } })],
  [
    'dataQualityMetrics',
    (v) => ({ columnMetrics: { columnMetrics: { max: v }, facets: { min: v } } }),
  ],
  ['dataQualityMetrics', (v) => ({ columnMetrics: { query: v } })],
  [
    'dataQualityAssertions',
    (v) => ({ assertions: [{ content: statement(v), expected: v, params: { a: v } }] }),
  ],
  ['test', (v) => ({ tests: [{ content: v, expected: { a: v }, actual: v, description: v }] })],
  [
    'columnLineage',
    (v) => ({ fields: { a: { transformationDescription: `a = '${v}'` }, fields: { message: v } } }),
  ],
  [
    'columnLineage',
    (v) => ({
      fields: { [`mail ${v}@h.example`]: { inputFields: [{ field: `${v}@h.example` }] } },
    }),
  ],
  ['lineage', (v) => ({ entries: [{ runId: `?token=${v}`, inputs: [{ name: statement(v) }] }] })],
  ['schema', (v) => ({ fields: [{ name: `${v}@h.example`, fields: [{ description: v }] }] })],
  [
    'subset',
    (v) => ({ inputCondition: { left: { value: v }, partitions: [{ dimensions: { d: v } }] } }),
  ],
  ['icebergScanReport', (v) => ({ filterDescription: `a = '${v}'`, metadata: { a: v } })],
  ['catalog', (v) => ({ catalogProperties: { a: v, uri: `thrift://u:${v}@h` } })],
  ['dataSource', (v) => ({ uri: `jdbc:postgresql://h/d?password=${v}`, name: `x://u:${v}@h` })],
  ['documentation', (v) => ({ description: v })],
  ['tags', (v) => ({ tags: [{ key: `token=${v}`, value: `Bearer ${v}` }] })],
  ['tags', (v) => ({ tags: [{ key: 'pii', value: `${v}@h.example`, Value: `x://u:${v}@h` }] })],
  ['acme_custom', (v) => ({ deep: [{ notes: statement(v) }] })],
  ['acme_custom', (v) => ({ notes: `/* app */ -- one\n select*from t where y = '${v}'` })],
  ['acme_custom', (v) => ({ notes: `select ${'a_column, '.repeat(60)} '${v}' from t` })],
  ['acme_custom', (v) => ({ notes: `INSERT OVERWRITE TABLE t SELECT '${v}'` })],
  ['acme_custom', (v) => ({ uri: `postgres://admin:${v}@db.example/x` })],
  ['acme_custom', (v) => ({ uri: `postgres://admin:p@${v}@db.example/x` })],
  ['acme_custom', (v) => ({ uri: `jdbc:oracle:thin:scott/${v}@db.example:1521:orcl` })],
  ['acme_custom', (v) => ({ uri: `Endpoint=sb://x/;SharedAccessKey=${v}` })],
  ['acme_custom', (v) => ({ header: `Bearer ${v}${v}`, mail: `${v}@h.example` })],
  ['acme_custom', (v) => ({ password: v, api_key: { x: [v] }, 'x-auth-token': [v, { a: v }] })],
  ['acme_custom', (v) => ({ sql: v, query: { text: statement(v) }, stack_trace: [v] })],
  ['acme_custom', (v) => ({ facets: { sql: { query: v }, ownership: { owners: { name: v } } } })],
  ['acme_custom', (v) => JSON.stringify({ a: JSON.stringify([{ sql: v, b: `pw=${v}` }]) })],
  ['acme_custom', (v) => ({ [`x://u:${v}@h`]: 1, [statement(v)]: [`token: ${v}`] })],
];

/** Members outside facets that are called like something sensitive, or hold it. */
const SENSITIVE_MEMBERS: readonly Holder[] = [
  ['sql', (v) => v],
  ['query', (v) => [v]],
  ['errorMessage', (v) => v],
  ['db_password', (v) => ({ a: [v] })],
  ['stack_trace', (v) => [v]],
  ['note', (v) => ({ text: JSON.stringify({ query: v }) })],
  ['name', (v) => `postgres://u:${v}@h/d`],
];

const SLOTS = [
  'run',
  'job',
  'dataset',
  'input',
  'output',
  'parent',
  'parentJob',
  'root',
  'rootJob',
  'top',
] as const;
type Slot = (typeof SLOTS)[number];
type Facets = Record<string, Json>;

const slot: fc.Arbitrary<Slot> = fc.constantFrom(...SLOTS);
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
    job: { namespace: 'n', name: 'p', ...inside('parentJob') },
    root: {
      run: { runId: 'r', ...inside('root') },
      job: { namespace: 'n', name: 'r', ...inside('rootJob') },
    },
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

/** Writes an event with a value in a sensitive place. */
export type SensitiveEvent = (value: string) => string;

/** Events spelled in every way that JSON allows. */
export const sensitiveEvent: fc.Arbitrary<SensitiveEvent> = fc
  .record({
    kind,
    slot,
    facet: fc.constantFrom(...SENSITIVE_FACETS),
    member: fc.option(fc.constantFrom(...SENSITIVE_MEMBERS)),
    rename: otherCase,
    spelling,
  })
  .map(({ kind, slot, facet: [name, content], member, rename, spelling }) => (value) => {
    const facets = { [rename(name)]: content(value) };
    const isIdentity = member?.[0] === 'name';
    const members = member
      ? { [isIdentity ? member[0] : rename(member[0])]: member[1](value) }
      : {};
    return print(eventWith(kind, slot, facets, members), spelling);
  });

export const everySensitiveEvent: ReadonlyArray<readonly [string, SensitiveEvent]> =
  SENSITIVE_FACETS.map(([name, content], index) => [
    `${name} (${index})`,
    (value) => JSON.stringify(eventWith('run', 'run', { [name]: content(value) }, {})),
  ]);
