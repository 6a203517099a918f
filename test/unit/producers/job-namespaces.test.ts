import { describe, expect, it } from 'vitest';
import { InvalidEventError } from '../../../lambdas/domain/errors.ts';
import { acceptBatch } from '../../../lambdas/domain/openlineage/accept-batch.ts';
import { acceptEvent } from '../../../lambdas/domain/openlineage/accept-event.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import type { JobNamespaces } from '../../../lambdas/domain/producers/registration.ts';
import { acceptance, NOW, REDACTION, registration, runEventText } from '../../support/builders.ts';

const RULE = 'job_namespace_not_registered';
const by = (jobNamespaces: JobNamespaces) =>
  acceptance({ registration: registration({ jobNamespaces }) });
const text = (namespace: string) => runEventText({ job: { namespace, name: 'j' } });
const allowed = ['exact', 'spark://prod*'];

describe('an event of a producer with registered job namespaces', () => {
  it.each([
    ['exact', true],
    ['exact2', false],
    ['Exact', false],
    ['spark://prod', true],
    ['spark://prod-2', true],
    ['spark://pro', false],
    ['spark://prod*', true],
  ])('of the namespace %s is inside: %s', (namespace, inside) => {
    const { deviations } = acceptEvent(text(namespace), by({ allowed, outside: 'deviation' }));
    expect(deviations.includes(RULE)).toBe(!inside);
  });

  it('carries the deviation into what is stored', () => {
    const { record } = acceptEvent(text('else'), by({ allowed, outside: 'deviation' }));
    const position = { shardId: 's', sequenceNumber: '1' };
    const prepared = prepareEvent({ position, arrivedAtMillis: NOW, data: record.data }, REDACTION);
    expect('envelopes' in prepared && prepared.envelopes[0]?.deviations).toContain(RULE);
  });

  it('is refused outside them where the registration says so, and alone in a batch', () => {
    const refusing = by({ allowed, outside: 'refuse' });
    const broken = [{ path: '$.job.namespace', rule: RULE }];
    expect(() => acceptEvent(text('else'), refusing)).toThrow(InvalidEventError);
    try {
      acceptEvent(text('else'), refusing);
    } catch (error) {
      expect((error as InvalidEventError).violations).toEqual(broken);
    }
    expect(acceptBatch(`[${text('exact')},${text('else')}]`, refusing)).toMatchObject([
      { accepted: {} },
      { refused: `${RULE} at $.job.namespace` },
    ]);
  });

  it('is not judged when it is about a dataset', () => {
    const dataset = JSON.stringify({
      eventTime: '2026-03-04T05:06:00Z',
      producer: 'p',
      schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent',
      dataset: { namespace: 'else', name: 'd' },
    });
    expect(acceptEvent(dataset, by({ allowed, outside: 'refuse' })).deviations).toEqual([]);
  });
});
