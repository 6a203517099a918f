/**
 * Names whose values are replaced whole, wherever they stand in an event or a span: compared in
 * lower case without punctuation, so that `stack_trace`, `stackTrace` and `STACK-TRACE` are one.
 * Sources: reference tables of OpenLineage facets and OpenTelemetry attributes (docs/redaction.md).
 */
const RULE_BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sql: 'query sql sqltext statement viewtext vieworiginaltext viewexpandedtext rawsql rawcode compiledsql compiledcode querytext incrementalpredicates dbstatement dbquerytext dbquerysummary',
    error:
      'message errormessage stacktrace traceback exception error errordetail exceptionmessage exceptionstacktrace detail hint',
    source: 'sourcecode code bashcommand command commandline commandargs script pythoncallable',
    environment: 'environmentvariables environmentproperties env environment',
    plan: 'plan queryplan logicalplan physicalplan optimizedplan explain',
    parameters:
      'conf params parameters args kwargs opargs opkwargs templatesdict executorconfig properties batchkwargs batchspec runconf',
    credential:
      'password passwd pwd secret token accesstoken refreshtoken apikey accesskey secretkey accountkey credentials authorization privatekey connectionstring dbconnectionstring sasljaasconfig cookie setcookie',
    expression:
      'transformationdescription filterdescription inputcondition outputcondition condition',
    person: 'owner user username useremail email userid runasuser dbuser enduserid actor clientip',
    free_text: 'description jobdescription docmd docjson',
  }).flatMap(([rule, names]) => names.split(' ').map((name): [string, string] => [name, rule])),
);

/** The rule for a member or attribute name; undefined when the name alone is harmless. */
export function ruleForName(name: string): string | undefined {
  return RULE_BY_NAME.get(plainName(name));
}

/** Events share a few hundred names; the bounds keep a stranger's from filling memory. */
const MAX_REMEMBERED_NAMES = 2_000;
const MAX_REMEMBERED_CHARACTERS = 64;
const plainNames = new Map<string, string>();

/** The form in which names are compared: lower case without punctuation. */
export function plainName(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plainNames.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_CHARACTERS) {
    plainNames.set(copyOf(name), copyOf(plain));
  }
  return plain;
}

/** A piece of a text keeps the whole text in memory, which here is an event before redaction. */
function copyOf(name: string): string {
  return Buffer.from(name, 'utf16le').toString('utf16le');
}
