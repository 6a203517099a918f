import { describe, expect, it } from 'vitest';
import { InvalidEventError } from '../../../lambdas/domain/errors.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { MAX_IDENTIFIER_BYTES } from '../../../lambdas/domain/openlineage/departures.ts';
import { readEvent } from '../../../lambdas/domain/openlineage/event.ts';
import { runEventText } from '../../support/builders.ts';

const SPEC = 'https://openlineage.io/spec/2-0-2/OpenLineage.json';
const JOB = { namespace: 'n', name: 'j' };
const DATASET = { namespace: 'n', name: 'd' };
const RUN = { runId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b' };

const read = (event: unknown) =>
  readEvent(new JsonDocument(typeof event === 'string' ? event : JSON.stringify(event)));
const deviationsOf = (overrides: Record<string, unknown>) =>
  read(runEventText(overrides)).deviations;
const violationsOf = (event: unknown) => {
  try {
    read(event);
  } catch (error) {
    if (error instanceof InvalidEventError)
      return error.violations.map(({ path, rule }) => `${rule} at ${path}`);
    throw error;
  }
  return [];
};

describe('classification', () => {
  it.each([
    ['run', 'by $defs', { schemaURL: `${SPEC}#/$defs/RunEvent`, run: RUN, job: JOB }, []],
    [
      'run',
      'by definitions',
      {
        schemaURL: 'https://openlineage.io/spec/1-0-5/OpenLineage.json#/definitions/RunEvent',
        run: RUN,
        job: JOB,
      },
      ['schema_url_old_definitions'],
    ],
    ['job', 'by schema', { schemaURL: `${SPEC}#/$defs/JobEvent`, job: JOB }, []],
    [
      'job',
      'by schema, though a dataset stands beside it',
      { schemaURL: `${SPEC}#/$defs/JobEvent`, job: JOB, dataset: DATASET },
      [],
    ],
    [
      'dataset',
      'by schema, though a run stands beside it',
      { schemaURL: `${SPEC}#/$defs/DatasetEvent`, run: RUN, dataset: DATASET },
      [],
    ],
    [
      'run',
      'whatever the version',
      {
        schemaURL: 'https://openlineage.io/spec/9-1-0/OpenLineage.json#/$defs/RunEvent',
        run: RUN,
        job: JOB,
      },
      ['schema_url_version_unknown'],
    ],
    [
      'dataset',
      'by shape when a run without a job stands beside it',
      { run: RUN, dataset: DATASET },
      ['schema_url_missing'],
    ],
    ['run', 'by shape without a schema', { run: RUN, job: JOB }, ['schema_url_missing']],
    ['dataset', 'by shape without a schema', { dataset: DATASET }, ['schema_url_missing']],
    ['job', 'by shape without a schema', { job: JOB }, ['schema_url_missing']],
    [
      'dataset',
      'by shape when a job is there, too',
      { dataset: DATASET, job: JOB },
      ['schema_url_missing'],
    ],
    [
      'run',
      'by shape when the schema names no event',
      { schemaURL: SPEC, run: RUN, job: JOB },
      ['schema_url_without_event'],
    ],
    [
      'job',
      'by shape against the schema',
      { schemaURL: `${SPEC}#/$defs/RunEvent`, job: JOB },
      ['schema_url_disagrees_with_shape'],
    ],
    [
      'job',
      'when run is null',
      { schemaURL: `${SPEC}#/$defs/RunEvent`, run: null, job: JOB },
      ['schema_url_disagrees_with_shape'],
    ],
  ])('takes a %s event %s', (kind, _how, event, deviations) => {
    const read_ = read({
      eventType: 'START',
      eventTime: '2026-01-01T00:00:00Z',
      producer: 'urn:x',
      ...event,
    });
    expect(read_).toMatchObject({ kind, deviations });
  });

  it('ignores what an event of its kind does not have', () => {
    expect(
      read({ schemaURL: `${SPEC}#/$defs/DatasetEvent`, run: RUN, dataset: DATASET, job: JOB }),
    ).not.toHaveProperty('runId');
  });
});

describe('deviations', () => {
  it('are none for an event to the letter of the specification', () => {
    expect(deviationsOf({})).toEqual([]);
  });

  it.each([
    ['event_type_missing', { eventType: undefined }],
    ['event_type_missing', { eventType: null }],
    ['event_type_unknown', { eventType: 'start' }],
    ['event_time_missing', { eventTime: undefined }],
    ['event_time_missing', { eventTime: 1_700_000_000 }],
    ['event_time_unreadable', { eventTime: 'yesterday' }],
    ['event_time_without_offset', { eventTime: '2026-01-01T00:00:00' }],
    ['event_time_not_rfc3339', { eventTime: '2026-01-01T00:00:00Z[Europe/London]' }],
    ['producer_missing', { producer: undefined }],
    ['run_id_not_uuid', { run: { runId: 'run-123' } }],
    ['job_name_empty', { job: { namespace: 'n', name: '' } }],
    ['job_namespace_empty', { job: { namespace: '', name: 'j' } }],
    ['schema_url_missing', { schemaURL: undefined }],
    ['schema_url_without_event', { schemaURL: SPEC }],
  ])('name %s', (deviation, overrides) => {
    expect(deviationsOf(overrides)).toEqual([deviation]);
  });

  it.each(['dataset_name_empty', 'dataset_namespace_empty'])('name %s', (deviation) => {
    const part = deviation === 'dataset_name_empty' ? 'name' : 'namespace';
    expect(read({ dataset: { ...DATASET, [part]: '' } }).deviations).toContain(deviation);
  });

  it('do not count an event type against a job event', () => {
    expect(
      read({
        schemaURL: `${SPEC}#/$defs/JobEvent`,
        job: JOB,
        producer: 'p',
        eventTime: '2026-01-01T00:00:00Z',
      }).deviations,
    ).toEqual([]);
  });

  it.each(['0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B', '00000000-0000-0000-0000-000000000000'])(
    'take %s for a UUID',
    (runId) => {
      expect(read(runEventText({ run: { runId } }))).toMatchObject({ runId, deviations: [] });
    },
  );
});

describe('refusals', () => {
  const long = 'é'.repeat(MAX_IDENTIFIER_BYTES / 2 + 1);

  it.each([
    ['event_is_not_an_object at $', '[1]'],
    ['event_is_not_an_object at $', '"text"'],
    ['event_names_no_run_job_or_dataset at $', '{}'],
    ['event_names_no_run_job_or_dataset at $', '{"run":1,"job":[],"dataset":null}'],
    ['required_string at $.run.runId', { run: {}, job: JOB }],
    ['required_string at $.run.runId', { run: { runId: 7 }, job: JOB }],
    ['must_not_be_empty at $.run.runId', { run: { runId: '' }, job: JOB }],
    ['required_object at $.job', { run: RUN }],
    ['required_string at $.job.name', { run: RUN, job: { namespace: 'n' } }],
    ['required_string at $.job.namespace', { job: { name: 'j' } }],
    ['required_string at $.dataset.name', { dataset: { namespace: 'n', name: null } }],
    [
      `longer_than_${MAX_IDENTIFIER_BYTES}_bytes at $.run.runId`,
      { run: { runId: long }, job: JOB },
    ],
    [
      `longer_than_${MAX_IDENTIFIER_BYTES}_bytes at $.job.name`,
      { job: { namespace: 'n', name: long } },
    ],
  ])('say %s', (violation, event) => {
    expect(violationsOf(event)).toEqual([violation]);
  });

  it('name every violation at once', () => {
    expect(violationsOf({ run: { runId: 1 }, job: {} })).toHaveLength(3);
  });

  it('take an identifier of exactly the bound', () => {
    expect(
      violationsOf(runEventText({ run: { runId: 'é'.repeat(MAX_IDENTIFIER_BYTES / 2) } })),
    ).toEqual([]);
  });

  it('never quote what was sent', () => {
    try {
      read({ run: { runId: 'x'.repeat(2_000) }, job: { namespace: 5, name: 'canarycanary' } });
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify([error, String(error)])).not.toMatch(/canary|xxx/);
    }
  });
});
