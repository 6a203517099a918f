import { InvalidEventError, type RuleViolation } from '../errors.ts';
import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import { readEventTime } from './event-time.ts';

export type EventKind = 'run' | 'job' | 'dataset';

/** A job or a dataset: its namespace and its name, exactly as sent. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
}

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
  readonly deviations: readonly string[];
}

/** A run id or name has to fit a DynamoDB attribute that is read back with every event of its run. */
export const MAX_IDENTIFIER_BYTES = 1_024;

const KNOWN_EVENT_TYPES = new Set(['START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL', 'OTHER']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SCHEMA_KIND = /\/(Run|Job|Dataset)Event$/;

/** Whether an id or name fits an index row; longer ones stay in the stored document only. */
export function isIndexable(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_IDENTIFIER_BYTES;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

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
  const deviations = new Set<string>();
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

/** schemaURL first, then shape; where they disagree the shape wins (openlineage.md 1.1). */
function classify(document: JsonDocument, deviations: Set<string>): EventKind {
  const has = (name: string) => document.isObject(document.get(document.root, name));
  const schemaUrl = document.string(document.get(document.root, 'schemaURL'));
  const named =
    schemaUrl === undefined ? undefined : SCHEMA_KIND.exec(schemaUrl)?.[1]?.toLowerCase();
  if (schemaUrl === undefined) deviations.add('schema_url_missing');
  else if (named === undefined) deviations.add('schema_url_without_event');

  const fits = { run: has('run'), dataset: has('dataset'), job: has('job') };
  const shape: EventKind | undefined = fits.run
    ? 'run'
    : fits.dataset
      ? 'dataset'
      : fits.job
        ? 'job'
        : undefined;
  if (shape === undefined) {
    throw new InvalidEventError([{ path: '$', rule: 'event_names_no_run_job_or_dataset' }]);
  }
  if (named === undefined) return shape;
  if (fits[named as EventKind]) return named as EventKind;
  deviations.add('schema_url_disagrees_with_shape');
  return shape;
}

class IdentityReader {
  readonly violations: RuleViolation[] = [];
  readonly #document: JsonDocument;
  readonly #deviations: Set<string>;

  constructor(document: JsonDocument, deviations: Set<string>) {
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
      this.violations.push({ path, rule: `longer_than_${MAX_IDENTIFIER_BYTES}_bytes` });
    }
    return text;
  }
}
