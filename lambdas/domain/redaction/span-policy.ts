import type { JsonDocument } from '../json/document.ts';
import { detect, detectInIdentity } from './detectors.ts';
import { type RedactionSettings, reduce, type SkeletonOf } from './redact-or-reduce.ts';
import { plainName, ruleForName } from './sensitive-names.ts';
import { marker, type Place, redactWholeValues, type ValuePolicy } from './whole-value.ts';

/** The join and the controls read these, so they stay unless they are called like free text. */
const KEPT_PREFIXES = ['lineage.', 'lineage_evidence.'];
const FREE_TEXT_RULES = new Set(['error', 'sql', 'credential', 'free_text']);

const KEPT_ATTRIBUTES = new Set(['exception.type', 'exception.escaped']);

export const RULE_BY_PREFIX: ReadonlyArray<readonly [string, string]> = [
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

/** Members of OTLP that are free text of the caller, or bytes that nobody can judge. Emptied, so that they stay well-formed. */
const EMPTIED_MEMBERS: ReadonlySet<string> = new Set(['tracestate', 'bytesvalue']);

/** A verb of SQL with a word behind it, or a word that follows one in a statement. */
const STATEMENT_WORD =
  /\b(?:(select|insert\s{1,20}into|update|delete\s{1,20}from|merge\s{1,20}into|create|alter|drop)\s|(?:from|into|set|values|where|table|view)\b)/gi;

/** How far behind its verb the next word of a statement may stand. */
const STATEMENT_GAP_CHARACTERS = 400;

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

export function ruleForAttribute(attribute: string): string | undefined {
  if (isKeptAttribute(attribute)) return undefined;
  const key = attribute.toLowerCase();
  return (
    RULE_BY_PREFIX.find(([prefix]) => key.startsWith(prefix))?.[1] ??
    ruleForName(lastPart(key)) ??
    // The whole name: a credential may be named across its dots.
    (ruleForName(key) === 'credential' ? 'credential' : undefined)
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
  readonly isStatusCode?: boolean;
}

/** OTLP/JSON until the redaction issue lands: sensitive attribute values are replaced whole, as an AnyValue. */
export const spanPolicy: ValuePolicy<SpanPlace> = {
  id: 'span-whole-value/1',
  root: { isAttributeValue: false },

  placeOf: (name, above) => ({
    name,
    rule: ruleForMember(name, above.name),
    isAttributeValue: false,
    ...(isStatusCode(name, above.name) && { isStatusCode: true }),
    ...(above.isRunId && { isRunId: true }),
  }),

  // Of several keys any may be the one that a reader takes: the strictest decides. One that is no text may mean anything.
  placeOfValue: (keys) => ({
    name: 'value',
    rule: keys
      .map((key) => (key === undefined ? 'payload' : ruleForAttribute(key)))
      .find((rule) => rule !== undefined),
    isAttributeValue: true,
    isRunId: keys.every((key) => key !== undefined && isRunId(key)),
  }),
  keyNamesAll: true,

  ruleForPlace: ({ rule }) => rule,

  judgeText({ name, isRunId, isStatusCode }, text) {
    if (isStatusCode) {
      return /^STATUS_CODE_[A-Z]{2,5}$/.test(text)
        ? undefined
        : { rule: 'error', replacement: marker('error') };
    }
    const rule = isRunId
      ? detectInIdentity(text)
      : (detect(text) ?? (name === 'key' ? undefined : detectInSpans(text)));
    return rule === undefined ? undefined : { rule, replacement: marker(rule) };
  },

  replacement({ name = '', isAttributeValue }, rule) {
    if (isAttributeValue) return JSON.stringify({ stringValue: marker(rule) });
    return JSON.stringify(EMPTIED_MEMBERS.has(plainName(name)) ? '' : marker(rule));
  },
};

/** `status.message`, and any member that OTLP does not define but that is called like something sensitive. */
function ruleForMember(name: string, above: string | undefined): string | undefined {
  if (name === 'value') return undefined;
  if (EMPTIED_MEMBERS.has(plainName(name))) return 'payload';
  return isStatusCode(name, above) ? undefined : ruleForAttribute(name);
}

/** An enum of OTLP; `code` is source code anywhere else. */
function isStatusCode(name: string, above: string | undefined): boolean {
  return name === 'code' && above?.toLowerCase() === 'status';
}

/** Spans carry more free text than events: what looks like a dump of something goes whole. */
function detectInSpans(text: string): string | undefined {
  if (isJsonText(text)) return 'payload';
  if (holdsStatement(text)) return 'sql';
  return NAMED_SECRET.test(text) ? 'secret' : undefined;
}

/** A statement anywhere in a text, as in a span name: a verb, and soon after it a word that belongs to one. */
function holdsStatement(text: string): boolean {
  let endOfVerb = Number.NEGATIVE_INFINITY;
  for (const { index, 0: found, 1: verb } of text.matchAll(STATEMENT_WORD)) {
    if (verb !== undefined) endOfVerb = index + found.length;
    else if (index - endOfVerb <= STATEMENT_GAP_CHARACTERS) return true;
  }
  return false;
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

/** Until places of spans are there. */
export function redactSpans(
  document: JsonDocument,
  settings: RedactionSettings,
  skeletonOf: SkeletonOf,
): ReturnType<typeof reduce> {
  try {
    const { text, fields } = redactWholeValues(document, spanPolicy);
    return { text, redaction: { policy: settings.policy.id, mode: 'full', fields }, facts: {} };
  } catch {
    return reduce(document, settings, skeletonOf);
  }
}
