import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArchiveDependencies } from '../../../lambdas/domain/evidence/archive-records.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { readPolicy } from '../../../lambdas/domain/redaction/policy.ts';
import { eraseSubject, viewSubject } from '../../../lambdas/domain/subjects/erase-subject.ts';
import { MAX_SUBJECTS_OF_RECORD } from '../../../lambdas/domain/subjects/named-subjects.ts';
import {
  isSubjectPseudonym,
  PLACEHOLDER,
  subjectPseudonym,
} from '../../../lambdas/domain/subjects/pseudonym.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { consumed, EPOCH_KEY, NOW, RETENTION, runEventText } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemorySubjectKeys } from '../../support/fakes/keys.ts';
import { redactEvent, redactSpans } from '../../support/redact.ts';
import { seeded } from '../../support/seeded.ts';
import { archive } from '../evidence/archive.ts';

const POLICY = readPolicy({ subject: ['facet:*.actor.id', 'attribute:enduser.id'] });
const PSEUDONYM = /sub_[a-p]{32}/g;

const eventOf = (...identities: readonly unknown[]) =>
  runEventText({
    run: { runId: 'r', facets: { acme: { actor: identities.map((id) => ({ id })) } } },
  });
const exportOf = (identity: unknown) =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                ...{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'n' },
                attributes: [{ key: 'enduser.id', value: { stringValue: identity } }],
              },
            ],
          },
        ],
      },
    ],
  });

/** An archive whose policy names places of subjects, and what its lines say in them. */
function store(subjectKeys = new InMemorySubjectKeys()) {
  const prepare: ArchiveDependencies['prepare'] = (record, key, subjects) =>
    prepareEvent(record, { policy: POLICY, key, subjects });
  const archived = archive({ subjectKeys, prepare });
  const lines = () =>
    archived.vault.versions
      .filter(({ key }) => key.startsWith('lineage/'))
      .map(({ body }) => gunzipSync(body).toString());
  const ids = () =>
    lines().map((line) =>
      JSON.parse(JSON.parse(line.split('\n')[0] as string).document).run.facets.acme.actor.map(
        ({ id }: { id: unknown }) => id,
      ),
    );
  return { ...archived, subjectKeys, ids, lines };
}

const erasing = (subjects: InMemorySubjectKeys, vault = new InMemoryVault()) => {
  let n = 0;
  const dependencies = {
    ...{ vault, subjects, retention: RETENTION, clock: () => NOW },
    ...{ epochKeys: async () => [EPOCH_KEY], newErasureId: () => `erasure-${++n}` },
  };
  return {
    vault,
    erase: (identity: string) => eraseSubject(identity, 'DSR-1', dependencies),
    view: (identity: string) => viewSubject(identity, dependencies),
  };
};

describe('the identity of a person', () => {
  it('is in no stored byte, and one person has one name whoever else is in the event', async () => {
    const identity = fc
      .string({ minLength: 12, maxLength: 40, unit: 'grapheme' })
      .map((text) => `person ${text}`);
    await fc.assert(
      fc.asyncProperty(identity, identity, async (one, other) => {
        fc.pre(one !== other);
        const { run, ids, text, subjectKeys, index } = store();
        await run(consumed(1, eventOf(one, other, one)));
        await run(consumed(2, eventOf(other)));
        const [[a, b, again], [later]] = ids() as [string[], string[]];
        expect([again, later]).toEqual([a, b]);
        expect(a).not.toBe(b);
        expect(a).toMatch(/^sub_[a-p]{32}$/);
        const stored = [
          text(),
          JSON.stringify([...index.runEventRows, ...index.deliveryRows, ...subjectKeys.held]),
        ].join();
        for (const person of [one, other]) {
          expect(stored).not.toContain(person);
          expect(stored).not.toContain(JSON.stringify(person).slice(1, -1));
        }
      }),
      seeded(60),
    );
  });

  it('has the same name in a span', () => {
    const secret = Buffer.alloc(32, 3);
    const subjects = (identity: string) => subjectPseudonym(secret, identity);
    const settings = { policy: POLICY, key: EPOCH_KEY, subjects };
    const names = [
      prepareEvent(consumed(1, eventOf('jane')), settings),
      prepareTraces(consumed(2, exportOf('jane')), settings),
    ].map((prepared) => JSON.stringify(prepared).match(PSEUDONYM)?.[0]);
    expect(names).toEqual([subjects('jane'), subjects('jane')]);
  });

  it('is replaced whatever it is written as, and listed with its path', () => {
    const { text, fields } = redactEvent(eventOf('jane', 4711, true, null, '', { deep: 'jane' }), {
      policy: POLICY,
    });
    const ids = JSON.parse(text).run.facets.acme.actor.map(({ id }: { id: unknown }) => id);
    const gone = '[redacted:subject]';
    expect(ids).toEqual([gone, gone, gone, null, '', { deep: gone }]);
    expect(fields[0]).toMatchObject({
      path: '$.run.facets.acme.actor[0].id',
      rule: 'subject',
    });
    for (const value of [{ intValue: '4711' }, { doubleValue: 47.11 }]) {
      const spans = exportOf('x').replace('{"stringValue":"x"}', JSON.stringify(value));
      const stored = redactSpans(spans, { policy: POLICY }).text;
      expect(stored).not.toMatch(/47/);
      // A pseudonym is no number: the attribute stays well-formed.
      expect(stored).toContain('"value":{"stringValue":"[redacted:subject]"}');
    }
  });

  it('stays a name when what was stored is redacted again', () => {
    const text = eventOf(PLACEHOLDER);
    expect(isSubjectPseudonym(PLACEHOLDER)).toBe(true);
    expect(redactEvent(text, { policy: POLICY }).text).toBe(text);
  });

  it('comes out of a retry as the same bytes', async () => {
    const { run, vault } = store();
    const batch = [consumed(1, eventOf('jane')), consumed(2, eventOf('joe', 'jane'))];
    await run(...batch);
    await run(...batch);
    expect(vault.versions).toHaveLength(1);
  });

  it('costs no look-up where a record names nobody, and one each in a batch', async () => {
    const { run, subjectKeys } = store();
    await run(consumed(1, runEventText()));
    expect(subjectKeys.calls).toBe(0);
    await run(...Array.from({ length: 20 }, (_, n) => consumed(n + 2, eventOf('jane', 'joe'))));
    expect(subjectKeys.calls).toBe(2);
  });

  it('beyond a bound is dropped: a record makes no more rows than that', async () => {
    const { run, ids, subjectKeys } = store();
    const many = Array.from({ length: MAX_SUBJECTS_OF_RECORD + 5 }, (_, n) => `person ${n}`);
    await run(consumed(1, eventOf(...many, 'person 0')));
    expect(subjectKeys.held.size).toBe(MAX_SUBJECTS_OF_RECORD);
    const [names] = ids() as [string[]];
    expect(names.filter(isSubjectPseudonym)).toHaveLength(MAX_SUBJECTS_OF_RECORD + 1);
    expect(names.slice(-6, -1)).toEqual(Array(5).fill('[redacted:subject]'));
  });

  it('holds a batch up while the table does not answer, and stores nothing without a name', async () => {
    const { run, vault, subjectKeys } = store();
    subjectKeys.faults.refuse('secretOf');
    const { failures, stored } = await run(consumed(1, eventOf('jane')), consumed(2, eventOf('j')));
    expect([failures.size, stored, vault.versions.length]).toEqual([2, 0, 0]);
  });

  it.each([
    ['attribute:lineage.run_id', 'runs are joined'],
    ['attribute:lineage_evidence.*', 'runs are joined'],
    ['$.run', 'use facet:'],
  ])('cannot be told in %s', (place, why) => {
    expect(() => readPolicy({ subject: [place] })).toThrow(why);
  });

  it('is another policy, and none at all where no place is named', () => {
    expect(POLICY.id).not.toBe(readPolicy({}).id);
    expect(() => readPolicy({ subject: [] })).toThrow('name a place');
  });
});

describe('erasing a person', () => {
  it('leaves what is stored, and gives later records nothing in their place', async () => {
    const { run, ids, lines, subjectKeys, vault } = store();
    await run(consumed(1, eventOf('jane', 'joe')));
    const before = lines();
    const [[jane, joe]] = ids() as [string[]];
    const { erase, view } = erasing(subjectKeys, vault);
    expect(await view('jane')).toEqual({ pseudonyms: [jane], erasures: [] });
    await erase('jane');
    expect(lines()).toEqual(before);

    await run(consumed(2, eventOf('jane', 'joe')));
    expect(ids()[1]).toEqual(['[redacted:subject]', joe]);
    expect(await view('jane')).toEqual({ pseudonyms: [], erasures: ['erasure-1'] });
    // Nothing that is left leads from the identity to the pseudonym.
    const left = JSON.stringify([...subjectKeys.held].filter(([, held]) => 'erasureId' in held));
    expect(left).not.toContain('secret');
  });

  it('is recorded, locked, with nothing that leads to them', async () => {
    const { run, subjectKeys } = store();
    await run(consumed(1, eventOf('jane')));
    const [lookup] = [...subjectKeys.held.keys()];
    const { erase, vault } = erasing(subjectKeys);
    await erase('jane');
    const [record] = vault.versions;
    expect(record?.key).toBe('erasures/erasure-1.json');
    expect(record?.lock).toMatchObject({ mode: 'GOVERNANCE' });
    const text = Buffer.from(record?.body ?? []).toString();
    expect(JSON.parse(text)).toEqual({
      ...{ erasure: 1, id: 'erasure-1', at: new Date(NOW).toISOString(), reference: 'DSR-1' },
      ...{ by: { via: 'aws-credentials' }, keysDestroyed: 1 },
    });
    expect(text).not.toContain(lookup);
    expect(text).not.toContain('jane');
  });

  it('completes the same record when it broke off before the vault had it', async () => {
    const { run, subjectKeys } = store();
    await run(consumed(1, eventOf('jane')));
    const { erase, vault } = erasing(subjectKeys);
    vault.faults.refuse('putDocument');
    await expect(erase('jane')).rejects.toThrow();
    expect(vault.versions).toEqual([]);
    const [first] = await erase('jane');
    expect(first).toMatchObject({ id: 'erasure-1', keysDestroyed: 1 });
    expect(await erase('jane')).toEqual([first]);
    expect(vault.versions).toHaveLength(1);
  });

  it('of somebody who was never named changes nothing', async () => {
    const { subjectKeys } = store();
    const { erase, vault } = erasing(subjectKeys);
    expect(await erase('nobody')).toEqual([]);
    expect([subjectKeys.held.size, vault.versions.length]).toEqual([0, 0]);
  });

  it('puts a replay beside what was stored: the first location stays, and nothing fails', async () => {
    const { run, subjectKeys, vault, index, ids } = store();
    await run(consumed(1, eventOf('jane')));
    const rows = JSON.stringify([...index.runEventRows, ...index.deliveryRows]);
    await erasing(subjectKeys).erase('jane');
    const { failures } = await run(consumed(1, eventOf('jane')));
    expect(failures.size).toBe(0);
    expect(vault.versions).toHaveLength(2);
    expect(ids()[1]).toEqual(['[redacted:subject]']);
    expect(JSON.stringify([...index.runEventRows, ...index.deliveryRows])).toBe(rows);
  });
});
