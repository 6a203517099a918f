import { describe, expect, it } from 'vitest';
import { NOT_ESTABLISHED } from '../../../lambdas/domain/openlineage/run-view.ts';
import { RUN_ID } from '../../support/builders.ts';
import { codes, event, view } from './material.ts';

describe('view of a run that is not held', () => {
  const referred = {
    references: [
      {
        runKey: RUN_ID,
        runId: RUN_ID,
        by: 'parent' as const,
        from: 'child',
        group: 'g',
        receiptId: 'r',
      },
    ],
  };

  it('is NOT_HELD and says who refers to it', () => {
    expect(view(referred)).toMatchObject({
      runId: RUN_ID,
      state: 'NOT_HELD',
      referredToBy: [{ by: 'parent', from: 'child', receiptId: 'r' }],
      notEstablished: NOT_ESTABLISHED,
    });
  });

  it('makes up neither job nor times', () => {
    expect(Object.keys(view(referred))).not.toEqual(expect.arrayContaining(['job', 'startedAt']));
    expect(codes(referred)).toEqual(['run_not_held']);
  });
});

describe('view of a held run', () => {
  it('qualifies a missing start', () => {
    expect(codes({ events: [event('COMPLETE')] })).toContain('missing_start');
    expect(codes({ events: [event('START')] })).not.toContain('missing_start');
  });

  describe('of a producer with a registered basis', () => {
    const registeredBasis = { derivation: 'resolved-plan', completeness: 'best-effort' };
    const basisOf = (tags: Record<string, string>) =>
      view({ events: [event('START', { tags, registeredBasis })] }).basis;

    it('shows that where the producer declares none, and says whose word it is', () => {
      expect(basisOf({})).toMatchObject({ ...registeredBasis, assertedBy: 'registration' });
    });

    it.each([
      [{ 'lineage.derivation': 'parsed-intent' }, 'parsed-intent', 'undeclared'],
      [{ 'lineage.completeness': 'parse-failed' }, 'undeclared', 'parse-failed'],
    ])(
      'shows what the producer declares and nothing else: %j',
      (tags, derivation, completeness) => {
        expect(basisOf(tags as Record<string, string>)).toMatchObject({
          ...{ derivation, completeness, assertedBy: 'producer' },
        });
      },
    );
  });

  it('qualifies a missing terminal', () => {
    expect(codes({ events: [event('START')] })).toContain('missing_terminal');
    expect(codes({ events: [event('ABORT')] })).not.toContain('missing_terminal');
  });

  it('shows every terminal when the run ended more than once', () => {
    const run = view({ events: [event('COMPLETE'), event('FAIL')] });
    expect(run.state).toBe('FAIL');
    expect(run.events).toHaveLength(2);
    expect(run.qualifications).toContainEqual(
      expect.objectContaining({
        code: 'conflicting_terminals',
        text: expect.stringMatching(/FAIL, COMPLETE/),
      }),
    );
  });

  it('says in every answer what is not established', () => {
    expect(view({ events: [event('START')] }).notEstablished).toEqual(NOT_ESTABLISHED);
  });

  it('says that an event is held as a skeleton only', () => {
    const redaction = { policy: 'p', mode: 'skeleton' as const, fields: [], fieldCount: 0 };
    expect(codes({ events: [event('START', { redaction })] })).toContain('stored_reduced');
  });

  it('never mixes the events of two groups', () => {
    const foreign = {
      submitter: { producerId: 'p2', group: 'g2' },
      job: { namespace: 'x', name: 'y' },
    };
    const run = view({ events: [event('START'), event('FAIL', foreign)] });
    expect(run.state).toBe('contested');
    expect(run).toMatchObject({ startedAt: null, job: null, basis: null, inputs: [], outputs: [] });
    expect(run.groups).toMatchObject([
      { group: 'group-1', state: 'RUNNING' },
      { group: 'g2', state: 'FAIL', startedAt: null, job: { namespace: 'x', name: 'y' } },
    ]);
  });

  it('lets several producers of one group speak about the same run', () => {
    const colleague = {
      submitter: { producerId: 'p2', group: 'group-1' },
      eventTimeUtc: '2026-03-04T05:07:00.000000000Z',
    };
    expect(view({ events: [event('START'), event('COMPLETE', colleague)] })).toMatchObject({
      state: 'COMPLETE',
      submitter: [{ producerId: 'producer-1' }, { producerId: 'p2' }],
    });
  });

  it.each([true, false])('says whether the parent is held (%s) and who asserts it', (held) => {
    const run = view({
      events: [event('START', { parent: { runId: 'P', job: { namespace: 'n', name: 'pj' } } })],
      heldReferences: new Set(held ? ['P'] : []),
    });
    expect(run.parent).toEqual({
      runId: 'P',
      job: { namespace: 'n', name: 'pj' },
      held,
      assertedBy: 'caller',
    });
    expect(run.root).toBeNull();
  });

  it.each([
    ['2026-03-04T05:06:07.889Z', true],
    ['2026-03-04T05:06:07.890Z', false],
    ['2026-03-04T05:06:07.891Z', false],
  ])('takes a declaration accepted at %s for in advance: %s', (acceptedAt, inAdvance) => {
    const declarations = [
      {
        job: { namespace: 'ns', name: 'job' },
        receiptId: 'later',
        acceptedAt: '2027-01-01T00:00:00.000Z',
        group: 'g',
      },
      { job: { namespace: 'ns', name: 'job' }, receiptId: 'd', acceptedAt, group: 'g' },
    ];
    expect(view({ events: [event('START')], declarations }).declared).toEqual({
      inAdvance,
      receiptId: 'd',
      at: acceptedAt,
    });
  });

  it('was not declared when nobody declared it', () => {
    expect(view({ events: [event('START')] }).declared).toBeNull();
  });

  it.each([
    ['supplied', { parent: { runId: 'P' } }],
    ['undeclared', {}],
    ['malformed', { parentMalformed: true }],
    ['absent', { tags: { 'lineage.actor': 'absent' } }],
  ])('answers parentage %s', (parentage, overrides) => {
    expect(view({ events: [event('START', overrides)] }).basis).toMatchObject({
      parentage,
      assertedBy: 'producer',
    });
  });

  it('infers no basis that the producer did not declare', () => {
    expect(view({ events: [event('START')] }).basis).toMatchObject({
      derivation: 'undeclared',
      completeness: 'undeclared',
    });
  });

  it('passes on that the producer itself does not guarantee completeness', () => {
    const run = view({
      events: [event('START', { tags: { 'lineage.completeness': 'not-guaranteed' } })],
    });
    expect(run.qualifications).toContainEqual(
      expect.objectContaining({
        code: 'completeness_not_guaranteed',
        from: 'producer',
        path: '$.run.facets.tags',
      }),
    );
  });

  it('counts the deliveries of an event by receipt', () => {
    const again = event('START', { receiptId: 'r-again' });
    expect(view({ events: [event('START'), again, again] }).events).toMatchObject([
      { deliveries: 2 },
    ]);
  });

  it('lists inputs and outputs apart and sorted', () => {
    const row = { runKey: RUN_ID, group: 'group-1', receiptId: 'r', namespace: 'n' };
    const datasets = [
      { ...row, access: 'read' as const, name: 'b' },
      { ...row, access: 'read' as const, name: 'a' },
      { ...row, access: 'write' as const, name: 'c' },
    ];
    expect(view({ events: [event('START')], datasets })).toMatchObject({
      inputs: [
        { namespace: 'n', name: 'a' },
        { namespace: 'n', name: 'b' },
      ],
      outputs: [{ namespace: 'n', name: 'c' }],
    });
  });
});
