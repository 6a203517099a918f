import { detect } from './detectors.ts';

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

/** Parts of a name that mean a credential however the rest of it is spelled. */
const CREDENTIAL_NAME =
  /passw|secret|credential|authoriz|cookie|(?:api|access|private|account)[-_.]?key|connection[-_.]?string|token$/i;

/** The rule for a member or attribute name; undefined when the name alone is harmless. */
export function ruleForName(name: string): string | undefined {
  return judged(name).rule;
}

/** The rule for a member name that holds a secret itself, as a map keyed by connection does. */
export function ruleForSecretName(name: string): string | undefined {
  return judged(name).secret;
}

/** The form in which names are compared: lower case without punctuation. */
export function plainName(name: string): string {
  return judged(name).plain;
}

interface JudgedName {
  readonly plain: string;
  readonly rule?: string;
  readonly secret?: string;
}

/** Events share a few hundred names; the bounds keep a stranger's from filling memory. */
const MAX_REMEMBERED_NAMES = 2_000;
const MAX_REMEMBERED_CHARACTERS = 64;
const judgedNames = new Map<string, JudgedName>();

/** Takes time linear in the name; callers judge a name where it stands, not once for each value below it. */
function judged(name: string): JudgedName {
  const known = judgedNames.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const namesCredential = !name.startsWith('[redacted:') && CREDENTIAL_NAME.test(name);
  const rule = RULE_BY_NAME.get(plain) ?? (namesCredential ? 'credential' : undefined);
  const fresh = { plain, rule, secret: detect(name) };
  if (judgedNames.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_CHARACTERS) {
    judgedNames.set(copyOf(name), { ...fresh, plain: copyOf(plain) });
  }
  return fresh;
}

/** A piece of a text keeps the whole text in memory, which here is an event before redaction. */
function copyOf(name: string): string {
  return Buffer.from(name, 'utf16le').toString('utf16le');
}
