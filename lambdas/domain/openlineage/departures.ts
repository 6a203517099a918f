import type { TextOddity } from '../json/oddities.ts';
import { SYNTAX_REFUSALS } from '../json/syntax-refusals.ts';

/** What departs from RFC 8259 or I-JSON and is kept to the byte all the same. */
const TEXT_DEVIATIONS: Readonly<Record<TextOddity, string>> = {
  duplicate_keys: 'an object has a key twice; the last one counts, both are stored',
  escaped_keys: 'a key is spelled with an escape; it counts as the name it spells',
  lone_surrogates: 'a string escapes half of a surrogate pair',
  non_finite_numbers: '`NaN`, `Infinity` or `-Infinity` stands for a number',
  numbers_beyond_double: 'a number has more digits, or is larger, than a double holds',
};

/** Every departure that is accepted, and what it says of the event. They stand in the answer and in the envelope. */
export const DEVIATIONS = {
  ...TEXT_DEVIATIONS,
  byte_order_mark: 'a byte order mark stood before the text; it is not stored',
  schema_url_missing:
    'no schemaURL, or one that is no text: the kind was told by what the event holds',
  schema_url_without_event: 'schemaURL names no RunEvent, JobEvent or DatasetEvent',
  schema_url_disagrees_with_shape:
    'schemaURL names a kind that the event does not have the parts of',
  schema_url_old_definitions: 'schemaURL points into `#/definitions/`, as before 2.0',
  schema_url_version_unknown: 'schemaURL names no published version of the core schema',
  event_type_missing: 'a run event without eventType, or with one that is no text',
  event_type_unknown: 'eventType is none of START, RUNNING, COMPLETE, ABORT, FAIL, OTHER',
  event_time_missing: 'no eventTime, or one that is no text',
  event_time_unreadable: 'eventTime names no instant',
  event_time_without_offset: 'eventTime has no offset; read as UTC',
  event_time_not_rfc3339: 'eventTime names an instant in another form than RFC 3339',
  producer_missing: 'no producer, or one that is no text',
  run_id_not_uuid: 'the run id is no UUID: it is a run of its group only',
  job_name_empty: 'the job has an empty name',
  job_namespace_empty: 'the job has an empty namespace',
  job_namespace_not_registered:
    'the job is outside the namespaces of the registration, which lets it through',
  dataset_name_empty: 'a dataset has an empty name',
  dataset_namespace_empty: 'a dataset has an empty namespace',
  dataset_unreadable:
    'an input or output has no namespace or name that fits an index row: stored, not indexed',
  datasets_not_a_list: 'inputs or outputs is no array',
  unknown_top_level_member: 'the event has a member that the core schema does not name',
  facets_not_an_object: 'facets, inputFacets or outputFacets is no object',
  facet_not_an_object: 'a facet is no object',
  facet_without_producer_or_schema: 'a facet lacks `_producer` or `_schemaURL`',
  facet_misplaced: 'a facet of the specification stands where that facet is not defined',
  facet_deleted: 'a facet says `_deleted` and nothing else',
  facet_deleted_where_undefined:
    'a run, input or output facet says `_deleted`, which is defined for job and dataset facets',
} as const satisfies Readonly<Record<string, string>>;

export type Deviation = keyof typeof DEVIATIONS;

/** Longest run id, name or namespace in bytes: it has to fit a DynamoDB attribute that is read back with every event of its run. */
export const MAX_IDENTIFIER_BYTES = 1_024;
/** Bound of the OpenLineage batch route (contract.md): one request must be answered within 4 s. */
export const MAX_BATCH_ITEMS = 1_000;

export const IDENTIFIER_TOO_LONG = `longer_than_${MAX_IDENTIFIER_BYTES}_bytes` as const;
export const TOO_MANY_ITEMS = `more_than_${MAX_BATCH_ITEMS}_items` as const;

/** Every rule by which an event or a batch is refused with 400: what nothing could be filed under. */
export const REFUSALS = {
  ...SYNTAX_REFUSALS,
  not_utf8: 'the body is not UTF-8',
  damaged_compression: 'the body starts like gzip or deflate and does not inflate',
  job_namespace_not_registered:
    'the job is outside the namespaces that the producer is registered for; an administrator can add one',
  event_is_not_an_object:
    'an event is a JSON object; an array of events goes to /api/v1/lineage/batch',
  event_names_no_run_job_or_dataset: 'the event has neither run nor job nor dataset',
  required_object: 'this member has to be an object',
  required_string: 'this member has to be a string',
  must_not_be_empty: 'the run id is empty',
  [IDENTIFIER_TOO_LONG]: 'the run id, a name or a namespace is too long to file',
  [TOO_MANY_ITEMS]: 'a batch has at most 1,000 events',
  more_items_than_the_rate_limit_allows:
    'the batch has more accepted events than the eventsPerSecond of the producer; send smaller ones',
} as const satisfies Readonly<Record<string, string>>;

export type Refusal = keyof typeof REFUSALS;
