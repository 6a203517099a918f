import { detect, detectInIdentity } from './detectors.ts';
import { ruleForName } from './sensitive-names.ts';
import { marker, type Place, type ValuePolicy } from './whole-value.ts';

/** The join and the controls read these, so they stay unless they are called like free text. */
const KEPT_PREFIXES = ['lineage.', 'lineage_evidence.'];
const FREE_TEXT_RULES = new Set(['error', 'sql', 'credential', 'free_text']);

const KEPT_ATTRIBUTES = new Set(['exception.type', 'exception.escaped']);

const RULE_BY_PREFIX: ReadonlyArray<readonly [string, string]> = [
  ['db.query.', 'sql'],
  ['db.statement', 'sql'],
  ['db.operation.parameter.', 'sql'],
  ['db.sql', 'sql'],
  ['db.bind', 'sql'],
  ['db.param', 'sql'],
  ['db.mongodb.', 'sql'],
  ['db.redis.', 'sql'],
  ['db.connection_string', 'connection_string'],
  ['db.user', 'person'],
  ['aws.dynamodb.', 'sql'],
  ['sql.', 'sql'],
  ['graphql.', 'sql'],
  ['exception.', 'error'],
  ['error.message', 'error'],
  ['error.stack', 'error'],
  ['otel.status_description', 'error'],
  ['code.stacktrace', 'error'],
  ['url.full', 'url'],
  ['url.query', 'url'],
  ['url.path', 'url'],
  ['url.original', 'url'],
  ['url.fragment', 'url'],
  ['http.url', 'url'],
  ['http.target', 'url'],
  ['http.request.header.', 'header'],
  ['http.response.header.', 'header'],
  ['http.request.body', 'payload'],
  ['http.response.body', 'payload'],
  ['messaging.message.body', 'payload'],
  ['messaging.kafka.message.key', 'payload'],
  ['rpc.request.', 'payload'],
  ['rpc.response.', 'payload'],
  ['rpc.message', 'payload'],
  ['process.command', 'source'],
  ['process.environment_variable', 'environment'],
  ['gen_ai.', 'payload'],
  ['mcp.', 'payload'],
  ['llm.', 'payload'],
  ['ai.', 'payload'],
  ['tool.', 'payload'],
  ['input.', 'payload'],
  ['output.', 'payload'],
  ['traceloop.', 'payload'],
  ['openinference.', 'payload'],
  ['langfuse.', 'payload'],
  ['langsmith.', 'payload'],
  ['enduser.', 'person'],
  ['user.', 'person'],
  ['client.address', 'person'],
  ['source.address', 'person'],
  ['net.peer.ip', 'person'],
  ['net.sock.peer.addr', 'person'],
  ['session.', 'person'],
  ['baggage', 'payload'],
];

/** Parts of a key that name a credential however the rest of it is spelled. */
const CREDENTIAL_KEY =
  /passw|secret|credential|authoriz|cookie|(?:api|access|private|account)[-_.]?key|connection[-_.]?string|token$/;

/** Members of OTLP that are free text of the caller, or bytes that nobody can judge. Emptied, so that they stay well-formed. */
const EMPTIED_MEMBERS: ReadonlySet<string> = new Set([
  'traceState',
  'trace_state',
  'bytesValue',
  'bytes_value',
]);

/** A statement in the middle of a text, as in a span name; the gap is bounded, so it cannot backtrack far. */
const SQL_WITHIN =
  /\b(?:select|insert\s+into|update|delete\s+from|merge\s+into|create|alter|drop)\s[\s\S]{0,400}?\b(?:from|into|set|values|where|table|view)\b/i;
const SQL_WITHIN_WINDOW_CHARACTERS = 2_000;

/** A secret behind its name, as in dumped JSON, headers or environments. */
const NAMED_SECRET =
  /(?:passw(?:or)?d|pwd|secret|api[-_]?key|access[-_]?key|token|authorization)["']?\s{0,5}[:=]\s{0,5}["']?[^\s"']/i;

/** True for attributes that redaction keeps for the join and the controls, whatever rule their name meets. */
export function isKeptAttribute(attribute: string): boolean {
  const key = attribute.toLowerCase();
  if (KEPT_ATTRIBUTES.has(key)) return true;
  if (!KEPT_PREFIXES.some((prefix) => key.startsWith(prefix))) return false;
  return !FREE_TEXT_RULES.has(ruleForName(lastPart(key)) ?? '');
}

function ruleForAttribute(attribute: string): string | undefined {
  if (isKeptAttribute(attribute)) return undefined;
  const key = attribute.toLowerCase();
  return (
    RULE_BY_PREFIX.find(([prefix]) => key.startsWith(prefix))?.[1] ??
    ruleForName(lastPart(key)) ??
    (CREDENTIAL_KEY.test(key) ? 'credential' : undefined)
  );
}

/** A run id is an identity: replacing it would merge all that are replaced. */
function isRunId(attribute: string): boolean {
  return isKeptAttribute(attribute) && /^run_?id$/.test(lastPart(attribute.toLowerCase()));
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/** Where a value of an OTLP document stands. */
interface SpanPlace extends Place {
  readonly name?: string;
  /** What is replaced is the AnyValue of an attribute. */
  readonly isAttributeValue: boolean;
  /** Of everything below the value of a run id attribute. */
  readonly isRunId?: boolean;
}

/** OTLP/JSON until the redaction issue lands: sensitive attribute values are replaced whole, as an AnyValue. */
export const spanPolicy: ValuePolicy<SpanPlace> = {
  id: 'span-whole-value/1',
  root: { isAttributeValue: false },

  placeOf: (name, above) => ({
    name,
    rule: ruleForMember(name, above.name),
    isAttributeValue: false,
    ...(above.isRunId && { isRunId: true }),
  }),

  // Of several keys any may be the one that a reader takes: the strictest decides.
  placeOfValue: (keys) => ({
    name: 'value',
    rule: keys.map(ruleForAttribute).find((rule) => rule !== undefined),
    isAttributeValue: true,
    isRunId: keys.every(isRunId),
  }),

  ruleForPlace: ({ rule }) => rule,

  judgeText({ name, isRunId }, text) {
    const rule = isRunId
      ? detectInIdentity(text)
      : (detect(text) ?? (name === 'key' ? undefined : detectInSpans(text)));
    return rule === undefined ? undefined : { rule, replacement: marker(rule) };
  },

  replacement({ name = '', isAttributeValue }, rule) {
    if (isAttributeValue) return JSON.stringify({ stringValue: marker(rule) });
    return JSON.stringify(EMPTIED_MEMBERS.has(name) ? '' : marker(rule));
  },
};

/** `status.message` and any member that OTLP does not define but that is called like a secret. */
function ruleForMember(name: string, above: string | undefined): string | undefined {
  if (name === 'value') return undefined;
  if (EMPTIED_MEMBERS.has(name)) return 'payload';
  // An enum of OTLP; `code` is source code anywhere else.
  if (name === 'code' && above === 'status') return undefined;
  return ruleForName(name) ?? (CREDENTIAL_KEY.test(name.toLowerCase()) ? 'credential' : undefined);
}

/** Spans carry more free text than events: what looks like a dump of something goes whole. */
function detectInSpans(text: string): string | undefined {
  if (isJsonText(text)) return 'payload';
  if (SQL_WITHIN.test(text.slice(0, SQL_WITHIN_WINDOW_CHARACTERS))) return 'sql';
  return NAMED_SECRET.test(text) ? 'secret' : undefined;
}

/** A JSON object or array inside a string: its members are judged by nobody. */
function isJsonText(text: string): boolean {
  const trimmed = text.trim();
  return (
    (trimmed.startsWith('{') && trimmed.endsWith('}') && trimmed.includes(':')) ||
    (trimmed.startsWith('[') &&
      trimmed.endsWith(']') &&
      trimmed.length > 2 &&
      !trimmed.startsWith('[redacted:'))
  );
}
