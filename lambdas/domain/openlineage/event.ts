import { InvalidEventError, type RuleViolation } from '../errors.ts';
import type { JsonDocument } from '../json/document.ts';
import { findOddities } from '../json/oddities.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import { type Deviation, IDENTIFIER_TOO_LONG, type Refusal } from './departures.ts';
import { readEventTime } from './event-time.ts';
import { type EventKind, type Identity, isIndexable, isUuid } from './identity.ts';
import { findStructuralDeviations } from './structure.ts';

/** What the receiver must know of an event; everything else stays in the document. */
export interface LineageEvent {
  readonly kind: EventKind;
  readonly eventType?: string;
  /** As sent; absent when the producer sent none. */
  readonly eventTime?: string;
  /** RFC 3339 UTC with nine fraction digits; absent when eventTime names no instant. */
  readonly eventTimeUtc?: string;
  readonly producer?: string;
  readonly runId?: string;
  readonly job?: Identity;
  readonly dataset?: Identity;
  /** Named departures from the specification that were accepted, in alphabetical order. */
  readonly deviations: readonly Deviation[];
}

const KNOWN_EVENT_TYPES = new Set(['START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL', 'OTHER']);

const SCHEMA_KIND = /\/(Run|Job|Dataset)Event$/;

const OLD_DEFINITIONS = '#/definitions/';

/** The published versions of the core schema (openlineage.md 1.4): a URL is compared, never fetched. */
const CORE_SCHEMA =
  /^https:\/\/openlineage\.io\/spec\/(?:1-[01]-[0-5]|2-0-[0-2])\/OpenLineage\.json(?:$|#)/;

/**
 * Classifies an event and takes its identities. Refuses only what nothing could be filed under
 * (openlineage.md 1.5, validation policy); every other departure is accepted and named.
 * @param knownKind of a stored event: redaction may have changed what its kind was read from
 * @throws InvalidEventError with the path and rule of each violation
 */
export function readEvent(document: JsonDocument, knownKind?: EventKind): LineageEvent {
  if (!document.isObject(document.root)) {
    throw new InvalidEventError([{ path: '$', rule: 'event_is_not_an_object' }]);
  }
  const deviations = new Set<Deviation>();
  const kind = knownKind ?? classify(document, deviations);
  const reader = new IdentityReader(document, deviations);

  const runId = kind === 'run' ? reader.runId() : undefined;
  const job = kind === 'dataset' ? undefined : reader.identity('job');
  const dataset = kind === 'dataset' ? reader.identity('dataset') : undefined;
  if (reader.violations.length > 0) throw new InvalidEventError(reader.violations);

  const text = (name: string) => document.string(document.get(document.root, name));
  const eventType = text('eventType');
  if (kind === 'run' && eventType === undefined) deviations.add('event_type_missing');
  else if (eventType !== undefined && !KNOWN_EVENT_TYPES.has(eventType)) {
    deviations.add('event_type_unknown');
  }
  const eventTime = text('eventTime');
  const instant = eventTime === undefined ? undefined : readEventTime(eventTime);
  if (eventTime === undefined) deviations.add('event_time_missing');
  else if (!instant) deviations.add('event_time_unreadable');
  else if (instant.deviation) deviations.add(instant.deviation);
  const producer = text('producer');
  if (producer === undefined) deviations.add('producer_missing');

  return {
    kind,
    ...(eventType !== undefined && { eventType }),
    ...(eventTime !== undefined && { eventTime }),
    ...(instant && { eventTimeUtc: instant.utc }),
    ...(producer !== undefined && { producer }),
    ...(runId !== undefined && { runId }),
    ...(job && { job }),
    ...(dataset && { dataset }),
    deviations: [...deviations].sort(),
  };
}

/** {@link readEvent}, with every departure of the whole document: once when it is accepted and once when it is filed. */
export function judgeEvent(document: JsonDocument): LineageEvent {
  const event = readEvent(document);
  const deviations = new Set<Deviation>(event.deviations);
  for (const deviation of findStructuralDeviations(document)) deviations.add(deviation);
  for (const deviation of findOddities(document)) deviations.add(deviation);
  return { ...event, deviations: [...deviations].sort() };
}

/** schemaURL first, then shape; where they disagree the shape wins (openlineage.md 1.1). */
function classify(document: JsonDocument, deviations: Set<Deviation>): EventKind {
  const schemaUrl = document.string(document.get(document.root, 'schemaURL'));
  const named = kindNamedBy(schemaUrl, deviations);
  const has = (name: string) => document.isObject(document.get(document.root, name));
  const fits = { run: has('run'), dataset: has('dataset'), job: has('job') };
  if (named !== undefined && fits[named]) return named;
  if (named !== undefined) deviations.add('schema_url_disagrees_with_shape');
  // A run without a job is no run event, and a dataset event may carry one (OpenLineage 2-0-2).
  if (fits.run && (fits.job || !fits.dataset)) return 'run';
  if (fits.dataset) return 'dataset';
  if (fits.job) return 'job';
  throw new InvalidEventError([{ path: '$', rule: 'event_names_no_run_job_or_dataset' }]);
}

/** The kind in the last segment of schemaURL; its version does not matter, and is never fetched. */
function kindNamedBy(
  schemaUrl: string | undefined,
  deviations: Set<Deviation>,
): EventKind | undefined {
  if (schemaUrl === undefined) {
    deviations.add('schema_url_missing');
    return undefined;
  }
  if (!CORE_SCHEMA.test(schemaUrl)) deviations.add('schema_url_version_unknown');
  if (schemaUrl.includes(OLD_DEFINITIONS)) deviations.add('schema_url_old_definitions');
  const named = SCHEMA_KIND.exec(schemaUrl)?.[1]?.toLowerCase() as EventKind | undefined;
  if (named === undefined) deviations.add('schema_url_without_event');
  return named;
}

class IdentityReader {
  readonly violations: Array<RuleViolation & { rule: Refusal }> = [];
  readonly #document: JsonDocument;
  readonly #deviations: Set<Deviation>;

  constructor(document: JsonDocument, deviations: Set<Deviation>) {
    this.#document = document;
    this.#deviations = deviations;
  }

  runId(): string {
    const runId = this.#text(this.#document.at(this.#document.root, 'run', 'runId'), '$.run.runId');
    if (runId === '') this.violations.push({ path: '$.run.runId', rule: 'must_not_be_empty' });
    else if (runId !== undefined && !isUuid(runId)) this.#deviations.add('run_id_not_uuid');
    return runId ?? '';
  }

  identity(entity: 'job' | 'dataset'): Identity {
    const node = this.#document.get(this.#document.root, entity);
    if (!this.#document.isObject(node)) {
      this.violations.push({ path: `$.${entity}`, rule: 'required_object' });
      return { namespace: '', name: '' };
    }
    const part = (name: 'namespace' | 'name') => {
      const text = this.#text(this.#document.get(node, name), `$.${entity}.${name}`);
      if (text === '') this.#deviations.add(`${entity}_${name}_empty`);
      return text ?? '';
    };
    return { namespace: part('namespace'), name: part('name') };
  }

  #text(node: Node, path: string): string | undefined {
    if (node === NONE || this.#document.kind(node) !== Kind.string) {
      this.violations.push({ path, rule: 'required_string' });
      return undefined;
    }
    const text = this.#document.string(node) as string;
    if (!isIndexable(text)) {
      this.violations.push({ path, rule: IDENTIFIER_TOO_LONG });
    }
    return text;
  }
}
