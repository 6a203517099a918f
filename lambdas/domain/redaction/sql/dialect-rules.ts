import type { DialectRules } from './dialect.ts';

const STANDARD: DialectRules = {
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

export const POSTGRES: DialectRules = {
  ...STANDARD,
  dollarQuotes: true,
  dollarTags: true,
  nestedComments: true,
  dollarParameters: true,
  escapeStrings: true,
};
/** What a driver says: Redshift, Greenplum and Cockroach speak its protocol, and a session may change the rule. */
export const POSTGRES_BY_DRIVER: DialectRules = { ...POSTGRES, backslash: 'open' };
export const MYSQL: DialectRules = {
  ...STANDARD,
  // NO_BACKSLASH_ESCAPES is a mode of the session.
  backslash: 'open',
  hashComments: true,
  dashNeedsSpace: true,
  versionedComments: true,
  doubleQuotes: 'string',
  backticks: true,
};
export const MYSQL_LIKE: DialectRules = { ...MYSQL, dashNeedsSpace: 'open', hashComments: 'open' };
export const ORACLE: DialectRules = {
  ...STANDARD,
  alternativeQuotes: true,
  hashWords: true,
  databaseLinks: true,
};
export const TSQL: DialectRules = {
  ...STANDARD,
  nestedComments: true,
  brackets: true,
  // QUOTED_IDENTIFIER is a mode of the session.
  doubleQuotes: 'open',
  hashWords: true,
};
export const SNOWFLAKE: DialectRules = {
  ...STANDARD,
  backslash: true,
  dollarQuotes: true,
  dollarParameters: true,
  slashComments: true,
  stages: true,
};
export const BIGQUERY: DialectRules = {
  ...STANDARD,
  backslash: true,
  hashComments: true,
  tripleQuotes: true,
  doubleQuotes: 'string',
  rawStrings: true,
  backticks: true,
};
export const HIVE: DialectRules = {
  ...STANDARD,
  backslash: true,
  doubleQuotes: 'string',
  backticks: true,
};
export const SPARK: DialectRules = {
  ...HIVE,
  nestedComments: 'open',
  dollarQuotes: true,
  rawStrings: true,
};
export const TRINO: DialectRules = { ...STANDARD, dollarQuotes: true };
export const ATHENA: DialectRules = { ...STANDARD, backticks: true };
export const VERTICA: DialectRules = {
  ...STANDARD,
  dollarQuotes: true,
  dollarTags: true,
  escapeStrings: true,
  nestedComments: 'open',
};
export const CLICKHOUSE: DialectRules = {
  ...STANDARD,
  backslash: true,
  hashComments: 'open',
  dollarQuotes: true,
  dollarTags: true,
  nestedComments: 'open',
  backticks: true,
  formatData: true,
};
export const SQLITE: DialectRules = {
  ...STANDARD,
  brackets: true,
  backticks: true,
  // A name that does not exist is a string.
  doubleQuotes: 'open',
};

/** Databases near the standard, some with nested comments. */
export const NEAR_STANDARD: DialectRules = { ...STANDARD, nestedComments: 'open' };

/** No rule is sure but those that hold in all dialects. */
export const UNKNOWN: DialectRules = {
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
