/** A rule of the lexer that a dialect settles or leaves open. */
type Setting = boolean | 'open';

/** Rules that two readings of the same text may differ in. */
export interface Readings {
  /** `\'` does not end a string. */
  readonly backslash: Setting;
  readonly hashComments: Setting;
  readonly dollarQuotes: Setting;
  readonly nestedComments: Setting;
  /** `--` begins a comment only before white space. */
  readonly dashNeedsSpace: Setting;
  readonly slashComments: Setting;
  /** `q'[..]'` */
  readonly alternativeQuotes: Setting;
  readonly tripleQuotes: Setting;
  /** `[name]` */
  readonly brackets: Setting;
  /** The inside of a `/*!` comment is code. */
  readonly versionedComments: Setting;
  /** In `r'..'` a backslash keeps the quote from closing: vendors and versions differ. */
  readonly rawEscape: Setting;
  /** A carriage return alone ends a line comment. */
  readonly returnEndsLine: Setting;
  /** Template braces inside a string hold quotes of their own. */
  readonly templateInString: Setting;
}

export interface Dialect extends Readings {
  /** `open`: a name only where nothing else can stand. */
  readonly doubleQuotes: 'name' | 'string' | 'open';
  readonly backticks: boolean;
  /** `$tag$` as well as `$$`. */
  readonly dollarTags: boolean;
  /** `$1` is a parameter and not money. */
  readonly dollarParameters: boolean;
  /** `E'..'` takes backslashes whatever the rule for strings is. */
  readonly escapeStrings: boolean;
  readonly rawStrings: boolean;
  /** `#` may stand in a word. */
  readonly hashWords: boolean;
  /** `@stage/path` */
  readonly stages: boolean;
  /** `table@link` */
  readonly databaseLinks: boolean;
  /** `INSERT .. FORMAT name <data>` */
  readonly formatData: boolean;
}

const STANDARD: Dialect = {
  backslash: false,
  hashComments: false,
  dollarQuotes: false,
  nestedComments: false,
  dashNeedsSpace: false,
  slashComments: false,
  alternativeQuotes: false,
  tripleQuotes: false,
  brackets: false,
  versionedComments: false,
  rawEscape: 'open',
  returnEndsLine: 'open',
  templateInString: 'open',
  doubleQuotes: 'name',
  backticks: false,
  dollarTags: false,
  dollarParameters: false,
  escapeStrings: false,
  rawStrings: false,
  hashWords: false,
  stages: false,
  databaseLinks: false,
  formatData: false,
};

const POSTGRES: Dialect = {
  ...STANDARD,
  dollarQuotes: true,
  dollarTags: true,
  nestedComments: true,
  dollarParameters: true,
  escapeStrings: true,
};
/** What a driver says: Redshift, Greenplum and Cockroach speak its protocol, and a session may change the rule. */
const POSTGRES_BY_DRIVER: Dialect = { ...POSTGRES, backslash: 'open' };
const MYSQL: Dialect = {
  ...STANDARD,
  // NO_BACKSLASH_ESCAPES is a mode of the session.
  backslash: 'open',
  hashComments: true,
  dashNeedsSpace: true,
  versionedComments: true,
  doubleQuotes: 'string',
  backticks: true,
};
const MYSQL_LIKE: Dialect = { ...MYSQL, dashNeedsSpace: 'open', hashComments: 'open' };
const ORACLE: Dialect = {
  ...STANDARD,
  alternativeQuotes: true,
  hashWords: true,
  databaseLinks: true,
};
const TSQL: Dialect = {
  ...STANDARD,
  nestedComments: true,
  brackets: true,
  // QUOTED_IDENTIFIER is a mode of the session.
  doubleQuotes: 'open',
  hashWords: true,
};
const SNOWFLAKE: Dialect = {
  ...STANDARD,
  backslash: true,
  dollarQuotes: true,
  dollarParameters: true,
  slashComments: true,
  stages: true,
};
const BIGQUERY: Dialect = {
  ...STANDARD,
  backslash: true,
  hashComments: true,
  tripleQuotes: true,
  doubleQuotes: 'string',
  rawStrings: true,
  backticks: true,
};
const HIVE: Dialect = { ...STANDARD, backslash: true, doubleQuotes: 'string', backticks: true };
const SPARK: Dialect = { ...HIVE, nestedComments: 'open', dollarQuotes: true, rawStrings: true };
const TRINO: Dialect = { ...STANDARD, dollarQuotes: true };
const ATHENA: Dialect = { ...STANDARD, backticks: true };
const VERTICA: Dialect = {
  ...STANDARD,
  dollarQuotes: true,
  dollarTags: true,
  escapeStrings: true,
  nestedComments: 'open',
};
const CLICKHOUSE: Dialect = {
  ...STANDARD,
  backslash: true,
  hashComments: 'open',
  dollarQuotes: true,
  dollarTags: true,
  nestedComments: 'open',
  backticks: true,
  formatData: true,
};
const SQLITE: Dialect = {
  ...STANDARD,
  brackets: true,
  backticks: true,
  // A name that does not exist is a string.
  doubleQuotes: 'open',
};

const UNKNOWN: Dialect = {
  ...STANDARD,
  backslash: 'open',
  hashComments: 'open',
  dollarQuotes: 'open',
  nestedComments: 'open',
  dashNeedsSpace: 'open',
  slashComments: 'open',
  alternativeQuotes: 'open',
  tripleQuotes: 'open',
  brackets: 'open',
  versionedComments: 'open',
  doubleQuotes: 'open',
  backticks: true,
  dollarTags: true,
  escapeStrings: true,
  rawStrings: true,
  stages: true,
  formatData: true,
};

/** Names as dbt adapters, `db.system.name`, JDBC subprotocols and OpenLineage namespaces spell them. */
const NAMES = byName([
  [POSTGRES, 'postgres cockroach cockroachdb duckdb materialize risingwave'],
  [POSTGRES_BY_DRIVER, 'postgresql redshift aws.redshift greenplum hawq polardb yugabytedb'],
  [MYSQL, 'mysql mariadb tidb singlestore memsql'],
  [MYSQL_LIKE, 'doris starrocks'],
  [ORACLE, 'oracle oracle.db'],
  [TSQL, 'tsql mssql sqlserver microsoft.sql_server jtds synapse fabric mssqlcompact'],
  [SNOWFLAKE, 'snowflake'],
  [BIGQUERY, 'bigquery gcp.bigquery'],
  [SPARK, 'spark sparksql spark_sql databricks glue'],
  [HIVE, 'hive hive2 impala'],
  [TRINO, 'trino presto'],
  [ATHENA, 'athena awsathena'],
  [
    { ...STANDARD, nestedComments: 'open' },
    'db2 ibm.db2 teradata exasol exa derby hsqldb sap sap.hana hanadb',
  ],
  [VERTICA, 'vertica'],
  [CLICKHOUSE, 'clickhouse ch'],
  [SQLITE, 'sqlite'],
]);

const FIRST_NAMES: ReadonlyMap<Dialect, string> = new Map(
  [...NAMES].reverse().map(([name, dialect]) => [dialect, name]),
);

/**
 * How a dialect may be read. A name that is not known, or none, leaves everything open. A session can
 * change what a name promises, so `postgresql`, which is all that a driver can say, leaves more open than
 * `postgres`, which an adapter says of the database it is made for.
 */
export function dialectOf(name: string | undefined): Dialect {
  return (name === undefined ? undefined : NAMES.get(name.trim().toLowerCase())) ?? UNKNOWN;
}

/** The first name of a dialect that has several; undefined for one that is not known. */
export function dialectName(name: string): string | undefined {
  return FIRST_NAMES.get(dialectOf(name));
}

function byName(entries: ReadonlyArray<readonly [Dialect, string]>): ReadonlyMap<string, Dialect> {
  return new Map(
    entries.flatMap(([dialect, names]) => names.split(' ').map((name) => [name, dialect] as const)),
  );
}
