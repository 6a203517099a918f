/**
 * Messages that databases and engines print, by who prints them. What no template has is dropped.
 *
 * Slots: `{*}` a value, up to the last place where what follows it stands; `{~}` anything up to the
 * next place in the line; both become `?`. `{#}` a number. The others are names that stay when they
 * are names: `{constraint}`, `{table}`, `{column}`, `{columns}`, `{type}`, `{name}`.
 *
 * Names that a client may have meant as values are values here: `column "x" does not exist` is
 * what PostgreSQL says of `where name = "x"`.
 */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  postgresql: [
    'duplicate key value violates unique constraint "{constraint}"',
    'conflicting key value violates exclusion constraint "{constraint}"',
    'Key ({columns})=({*}) already exists',
    'Key ({columns})=({*}) is not present in table "{table}"',
    'Key ({columns})=({*}) is still referenced from table "{table}"',
    'Key ({columns})=({*}) conflicts with existing key ({~})=({*})',
    'Key ({columns})=({*}) is duplicated',
    'Failing row contains ({*}).',
    'Partition key of the failing row contains ({columns}) = ({*}).',
    'null value in column "{column}" of relation "{table}" violates not-null constraint',
    'null value in column "{column}" violates not-null constraint',
    'new row for relation "{table}" violates check constraint "{constraint}"',
    'check constraint "{constraint}" of relation "{table}" is violated by some row',
    'insert or update on table "{table}" violates foreign key constraint "{constraint}"',
    'update or delete on table "{table}" violates foreign key constraint "{constraint}" on table "{table}"',
    'new row violates row-level security policy for table "{table}"',
    'no partition of relation "{table}" found for row',
    'invalid input syntax for type {type}: "{*}',
    'invalid input syntax for integer: "{*}',
    'invalid input value for enum {type}: "{*}',
    'malformed array literal: "{*}',
    'date/time field value out of range: "{*}',
    'value "{*}" is out of range for type {type}',
    '{type} out of range',
    'value too long for type {type}',
    'numeric field overflow',
    'division by zero',
    'invalid byte sequence for encoding "{name}": {~}',
    'syntax error at or near "{*}',
    'syntax error at end of input',
    'unterminated quoted string at or near "{*}',
    'relation "{table}" does not exist',
    'relation "{table}" already exists',
    'column "{*}" does not exist',
    'column "{*}" of relation "{table}" does not exist',
    'column {*} does not exist',
    'permission denied for table {table}',
    'permission denied for relation {table}',
    'permission denied for schema {name}',
    'permission denied for database {name}',
    'password authentication failed for user "{*}',
    'role "{*}" does not exist',
    'database "{name}" does not exist',
    'deadlock detected',
    'could not serialize access due to concurrent update',
    'could not serialize access due to read/write dependencies among transactions',
    'canceling statement due to statement timeout',
    'canceling statement due to lock timeout',
    'canceling statement due to user request',
    'current transaction is aborted, commands ignored until end of transaction block',
    'terminating connection due to administrator command',
    'unnamed portal with parameters: {*}',
    'portal "{*}" with parameters: {*}',
    'parameters: {*}',
    'COPY {table}, line {#}, column {column}: "{*}',
    'COPY {table}, line {#}, column {column}: null input',
    'COPY {table}, line {#}: "{*}',
    'COPY {table}, line {#}',
    'SQL statement "{*}',
    'Batch entry {#} {*} was aborted: ',
    'Call getNextException to see other errors in the batch.',
    'Connection to {~} refused.',
  ],
  mysql: [
    "Duplicate entry '{*}' for key '{constraint}'",
    "You have an error in your SQL syntax; {~} to use near '{*}' at line {#}",
    "Incorrect {type} value: '{*}' for column '{column}' at row {#}",
    "Incorrect {type} value: '{*}' for column {~} at row {#}",
    "Incorrect {type} value: '{*}'",
    "Truncated incorrect {type} value: '{*}'",
    "Data too long for column '{column}' at row {#}",
    "Data truncated for column '{column}' at row {#}",
    "Out of range value for column '{column}' at row {#}",
    "Column '{column}' cannot be null",
    "Field '{column}' doesn't have a default value",
    "Unknown column '{*}' in '{name}'",
    "Table '{table}' doesn't exist",
    "Table '{table}' already exists",
    "Unknown database '{name}'",
    "Access denied for user '{*}'@'{*}' (using password: {name})",
    "Access denied for user '{*}'@'{*}' to database '{name}'",
    'Cannot add or update a child row: a foreign key constraint fails (`{~}`, CONSTRAINT `{constraint}` {*}',
    'Cannot delete or update a parent row: a foreign key constraint fails (`{~}`, CONSTRAINT `{constraint}` {*}',
    "Check constraint '{constraint}' is violated.",
    'Lock wait timeout exceeded; try restarting transaction',
    'Deadlock found when trying to get lock; try restarting transaction',
    'MySQL server has gone away',
    'Lost connection to MySQL server during query',
    'Communications link failure',
    'Integrity constraint violation: {#}',
    'Integrity constraint violation: ',
  ],
  oracle: [
    'unique constraint ({constraint}) violated on table {table} columns ({columns})',
    'unique constraint ({constraint}) violated',
    'check constraint ({constraint}) violated',
    'integrity constraint ({constraint}) violated - parent key not found',
    'integrity constraint ({constraint}) violated - child record found',
    'row with column values ({*}) already exists',
    'cannot insert NULL into ({~})',
    'value too large for column {~} (actual: {#}, maximum: {#})',
    'invalid number',
    'table or view does not exist',
    'no data found',
    'exact fetch returns more than requested number of rows',
    'snapshot too old',
    'invalid username/password; logon denied',
    'deadlock detected while waiting for resource',
  ],
  'microsoft.sql_server': [
    "Violation of UNIQUE KEY constraint '{constraint}'. Cannot insert duplicate key in object '{table}'",
    "Violation of PRIMARY KEY constraint '{constraint}'. Cannot insert duplicate key in object '{table}'",
    "Cannot insert duplicate key row in object '{table}' with unique index '{constraint}'",
    'The duplicate key value is ({*}).',
    "Conversion failed when converting the {type} value '{*}' to data type {type}.",
    'Conversion failed when converting {~} from character string',
    'Error converting data type {type} to {type}',
    "The conversion of the {type} value '{*}' overflowed an {type} column",
    "String or binary data would be truncated in table '{table}', column '{column}'",
    'String or binary data would be truncated',
    "Truncated value: '{*}'.",
    "Cannot insert the value NULL into column '{column}', table '{table}'; column does not allow nulls",
    'The INSERT statement conflicted with the {~} constraint "{constraint}". The conflict occurred in database "{name}", table "{table}", column \'{column}\'',
    'The DELETE statement conflicted with the {~} constraint "{constraint}". The conflict occurred in database "{name}", table "{table}", column \'{column}\'',
    'The UPDATE statement conflicted with the {~} constraint "{constraint}". The conflict occurred in database "{name}", table "{table}", column \'{column}\'',
    'The statement has been terminated',
    "Invalid column name '{*}'.",
    "Invalid object name '{table}'",
    "Incorrect syntax near '{*}'.",
    "Unclosed quotation mark after the character string '{*}'.",
    "Login failed for user '{*}'.",
    'Divide by zero error encountered',
  ],
  snowflake: [
    "Numeric value '{*}' is not recognized",
    "Boolean value '{*}' is not recognized",
    "Date '{*}' is not recognized",
    "Timestamp '{*}' is not recognized",
    "Time '{*}' is not recognized",
    'Duplicate row detected during DML action',
    'Row Values: [{*}',
    "Duplicate field key '{*}'",
    "String '{*}' is too long and would be truncated",
    "String '{*}' cannot be inserted because it's bigger than column size",
    'Failed to cast variant value {*} to {type}',
    'NULL result in a non-nullable column',
    "Object '{table}' does not exist or not authorized",
    "Table '{table}' does not exist or not authorized",
    "Database '{name}' does not exist or not authorized",
    "Schema '{name}' does not exist or not authorized",
    "invalid identifier '{*}'",
    "syntax error line {#} at position {#} unexpected '{*}'.",
    'SQL compilation error: error line {#} at position {#}',
    'SQL compilation error:',
  ],
  spark: [
    'Job aborted due to stage failure: Task {#} in stage {~} failed {#} times, most recent failure: Lost task {~} in stage {~} (TID {#}) ({~}): ',
    'Job aborted due to stage failure: ',
    'Job aborted.',
    'Driver stacktrace:',
    'Task failed while writing rows',
  ],
  bigquery: [
    'Bad {type} value: {*}',
    'Invalid {type} value: {*}',
    'Could not cast literal "{*}" to type {type}',
    'Could not parse {~} as {type} for field {column} {*}',
    'Not found: Table {table} was not found in location {name}',
    'Not found: Dataset {name} was not found in location {name}',
    'Access Denied: Table {table}: {*}',
    'Required field {column} cannot be null',
    'Resources exceeded during query execution: {*}',
  ],
  trino: [
    "Query failed: Cannot cast '{*}' to {type}",
    "Cannot cast '{*}' to {type}",
    'Query failed: ',
    "line {#}:{#}: Table '{table}' does not exist",
    "line {#}:{#}: Column '{*}' cannot be resolved",
    'Query exceeded per-node memory limit of {*}',
  ],
  dbt: [
    'Database Error in model {name} ({~})',
    'Runtime Error in model {name} ({~})',
    'Compilation Error in model {name} ({~})',
    'Database Error in test {name} ({~})',
    'Database Error in snapshot {name} ({~})',
    'Database Error in seed {name} ({~})',
    'Database Error',
    'Got {#} results, configured to fail if != {#}',
  ],
};

export type SlotKind =
  | '*'
  | '~'
  | '#'
  | 'constraint'
  | 'table'
  | 'column'
  | 'columns'
  | 'type'
  | 'name';

export type TemplatePart = { readonly literal: string } | { readonly slot: SlotKind };

/** Templates that are the same up to their first value: which one it is shows behind the value. */
export interface TemplateGroup {
  readonly system: string;
  /** Of the head as it is written. */
  readonly length: number;
  readonly head: readonly TemplatePart[];
  /** What follows the head; the first part is the value unless the template has none. */
  readonly tails: ReadonlyArray<readonly TemplatePart[]>;
}

function partsOf(template: string): TemplatePart[] {
  return template
    .split(/(\{[a-z*~#]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      /^\{[a-z*~#]+\}$/.test(piece) ? { slot: piece.slice(1, -1) as SlotKind } : { literal: piece },
    );
}

function groupsOf(system: string, templates: readonly string[]): TemplateGroup[] {
  const groups = new Map<string, { head: TemplatePart[]; tails: TemplatePart[][] }>();
  for (const template of templates) {
    const value = template.indexOf('{*}');
    const end = value === -1 ? template.length : value;
    const head = template.slice(0, end);
    const group = groups.get(head) ?? { head: partsOf(head), tails: [] };
    group.tails.push(partsOf(template.slice(end)));
    groups.set(head, group);
  }
  return [...groups].map(([head, group]) => ({ system, length: head.length, ...group }));
}

/** By first character, as no template starts with a slot but `{type}`. */
const BY_FIRST = new Map<string, TemplateGroup[]>();
for (const [system, templates] of Object.entries(TEMPLATES)) {
  for (const group of groupsOf(system, templates)) {
    const first = group.head[0];
    const key = first && 'literal' in first ? (first.literal[0] as string) : '';
    BY_FIRST.set(key, [...(BY_FIRST.get(key) ?? []), group]);
  }
}

// Of two that start alike the longer one says more.
for (const groups of BY_FIRST.values()) groups.sort((one, other) => other.length - one.length);

/** The templates that a text may follow which starts with a character. */
export function templatesFor(first: string): readonly TemplateGroup[] {
  return [...(BY_FIRST.get(first) ?? []), ...(BY_FIRST.get('') ?? [])];
}

/** Every template, for tests that fill each slot of each. */
export function allTemplates(): ReadonlyArray<readonly [system: string, template: string]> {
  return Object.entries(TEMPLATES).flatMap(([system, templates]) =>
    templates.map((template) => [system, template] as const),
  );
}
