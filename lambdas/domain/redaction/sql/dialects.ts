import type { Dialect, DialectRules } from './dialect.ts';
import {
  ATHENA,
  BIGQUERY,
  CLICKHOUSE,
  HIVE,
  MYSQL,
  MYSQL_LIKE,
  NEAR_STANDARD,
  ORACLE,
  POSTGRES,
  POSTGRES_BY_DRIVER,
  SNOWFLAKE,
  SPARK,
  SQLITE,
  TRINO,
  TSQL,
  UNKNOWN,
  VERTICA,
} from './dialect-rules.ts';

/**
 * Names as dbt adapters, `db.system.name`, JDBC subprotocols and OpenLineage namespaces spell them. Of the
 * spellings of one database the first is the canonical one.
 */
const KNOWN = bySpelling([
  [POSTGRES, ['postgres', 'cockroachdb cockroach', 'duckdb', 'materialize', 'risingwave']],
  [
    POSTGRES_BY_DRIVER,
    ['postgresql', 'redshift aws.redshift', 'greenplum hawq', 'polardb', 'yugabytedb'],
  ],
  [MYSQL, ['mysql', 'mariadb', 'tidb', 'singlestore memsql']],
  [MYSQL_LIKE, ['doris', 'starrocks']],
  [ORACLE, ['oracle oracle.db']],
  [TSQL, ['sqlserver tsql mssql microsoft.sql_server jtds mssqlcompact', 'synapse', 'fabric']],
  [SNOWFLAKE, ['snowflake']],
  [BIGQUERY, ['bigquery gcp.bigquery']],
  [SPARK, ['spark sparksql spark_sql', 'databricks', 'glue']],
  [HIVE, ['hive hive2', 'impala']],
  [TRINO, ['trino', 'presto']],
  [ATHENA, ['athena awsathena']],
  [
    NEAR_STANDARD,
    ['db2 ibm.db2', 'teradata', 'exasol exa', 'derby', 'hsqldb', 'hana sap.hana sap hanadb'],
  ],
  [VERTICA, ['vertica']],
  [CLICKHOUSE, ['clickhouse ch']],
  [SQLITE, ['sqlite']],
]);

const UNKNOWN_DIALECT: Dialect = { ...UNKNOWN, name: 'unknown' };

/**
 * How a dialect may be read. A name that is not known, or none, leaves everything open. A session can
 * change what a name promises, so `postgresql`, which is all that a driver can say, leaves more open than
 * `postgres`, which an adapter says of the database it is made for.
 */
export function dialectOf(name: string | undefined): Dialect {
  return known(name) ?? UNKNOWN_DIALECT;
}

/** The canonical spelling of a database's name, such as `sqlserver` for `mssql`; undefined when it is not known. */
export function dialectName(name?: string): string | undefined {
  return known(name)?.name;
}

function known(name: string | undefined): Dialect | undefined {
  return name === undefined ? undefined : KNOWN.get(name.trim().toLowerCase());
}

function bySpelling(
  groups: ReadonlyArray<readonly [DialectRules, readonly string[]]>,
): ReadonlyMap<string, Dialect> {
  const dialects = new Map<string, Dialect>();
  for (const [rules, databases] of groups) {
    for (const spellings of databases.map((database) => database.split(' '))) {
      const dialect = { ...rules, name: spellings[0] as string };
      for (const spelling of spellings) dialects.set(spelling, dialect);
    }
  }
  return dialects;
}
