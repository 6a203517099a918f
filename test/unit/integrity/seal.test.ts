import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AccessDeniedError,
  LineageError,
  UnavailableError,
  UnreadableRecordError,
} from '../../../lambdas/domain/errors.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import { openFinding } from '../../../lambdas/domain/findings.ts';
import {
  besideDigest,
  type Digest,
  digestBytes,
  digestKey,
  isDigestKey,
  MAX_LATE,
  publicKeyKey,
} from '../../../lambdas/domain/integrity/digest.ts';
import type { DigestSigner } from '../../../lambdas/domain/integrity/ports.ts';
import { type SealDependencies, seal } from '../../../lambdas/domain/integrity/seal.ts';
import type { Damage } from '../../../lambdas/domain/integrity/verify-damage.ts';
import { checkDigest } from '../../../lambdas/domain/integrity/verify-document.ts';
import { RETENTION } from '../../support/builders.ts';
import type { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemorySigningKeys } from '../../support/signing-keys.ts';
import { envelopeOf } from './envelopes.ts';
import { MINUTE, sealing } from './sealing.ts';

type StoredVersion = InMemoryVault['versions'][number];

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** 05:00 of the day on which everything happens. */
const FIVE = Date.parse('2026-03-04T05:00:00.000Z');

describe('sealing', () => {
  it('chains a signed digest of each interval, empty ones too', async () => {
    const store = sealing(FIVE);
    const early = store.archive([envelopeOf(1), envelopeOf(2)]);
    store.at(FIVE + 31 * MINUTE);
    const late = store.archive([envelopeOf(3)]);
    store.document('policies/a.json', { policy: 1 });
    store.at(FIVE + 51 * MINUTE);
    expect(await store.seal()).toMatchObject({ digests: 3, records: 3, isCaughtUp: true });

    const [first, second, third] = store.chain();
    expect(store.chain().map(({ from }) => from)).toEqual([
      '2026-03-04T05:00:00.000Z',
      '2026-03-04T05:15:00.000Z',
      '2026-03-04T05:30:00.000Z',
    ]);
    expect(first).toMatchObject({ number: 0, previous: null, anchor: 'unanchored', records: 2 });
    expect(first?.objects).toMatchObject([
      {
        key: early.key,
        ...{ records: 2, mode: 'GOVERNANCE' },
        shards: [{ shardId: 'shardId-000000000000', first: '1', last: '2', records: 2 }],
        sha256: createHash('sha256').update(early.body).digest('hex'),
      },
    ]);
    expect(second).toMatchObject({ objects: [], records: 0, leaves: null });
    expect(third?.objects.map(({ key }) => key)).toEqual([late.key, 'policies/a.json']);
    store.check();
  });

  it('says from which to which sequence number an object goes', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(10), envelopeOf(9), envelopeOf(100), envelopeOf(10)]);
    store.at(FIVE + 21 * MINUTE);
    await store.seal();
    expect(store.chain()[0]?.objects[0]).toMatchObject({
      records: 4,
      shards: [{ first: '9', last: '100', records: 3 }],
    });
  });

  it('writes nothing before an interval has closed, and nothing twice', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 20 * MINUTE - 1);
    expect(await store.seal()).toMatchObject({ digests: 0, isCaughtUp: true });
    store.at(FIVE + 20 * MINUTE);
    expect(await store.seal()).toMatchObject({ digests: 1 });
    const written = store.vault.versions.length;
    expect(await store.seal()).toMatchObject({ digests: 0, isCaughtUp: true });
    expect(store.vault.versions).toHaveLength(written);
  });

  it('begins an empty vault with the last interval that closed', async () => {
    const store = sealing(FIVE);
    expect(await store.seal()).toMatchObject({ digests: 1 });
    expect(store.chain()).toMatchObject([
      { from: '2026-03-04T04:30:00.000Z', to: '2026-03-04T04:45:00.000Z', objects: [] },
    ]);
  });

  it('locks all parts of the chain as long as reports', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 21 * MINUTE);
    await store.seal();
    const parts = store.vault.versions.filter(({ key }) => /^(digests|public-keys)\//.test(key));
    expect(parts.map(({ key }) => key.split('.').at(-1)).sort()).toEqual([
      ...['json', 'leaves', 'pem', 'sig'],
    ]);
    for (const { lock } of parts) {
      expect(Date.parse(lock?.retainUntil as string)).toBeGreaterThanOrEqual(
        FIVE + RETENTION.recordDays * DAY,
      );
    }
  });

  it('catches up over three days in bounded runs', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 3 * DAY + 5 * MINUTE);
    const runs = [];
    do runs.push(await store.seal({ maxDigests: 100 }));
    while (!runs.at(-1)?.isCaughtUp);
    expect(runs.map(({ digests }) => digests)).toEqual([100, 100, 88]);
    expect(store.chain().map(({ delayed }) => delayed?.cause)).toEqual([
      'first_digest',
      ...Array.from({ length: 284 }, () => 'catching_up'),
      ...[undefined, undefined, undefined],
    ]);
    store.check();
  });

  it('stops when the time of the invocation runs out, and goes on with the next', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 2 * HOUR);
    let left = 2;
    expect(await store.seal({ hasTime: () => left-- > 0 })).toMatchObject({
      ...{ digests: 2, isCaughtUp: false },
    });
    expect(await store.seal()).toMatchObject({ digests: 5, isCaughtUp: true });
    store.check();
  });

  it('ends intervals on whole multiples when their length changes', async () => {
    const store = sealing(FIVE, { intervalMinutes: 1 });
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 7 * MINUTE);
    await store.seal();
    store.at(FIVE + 50 * MINUTE);
    await store.seal({}, { intervalMinutes: 15 });
    expect(store.chain().map(({ to }) => to.slice(11, 16))).toEqual([
      ...['05:01', '05:02', '05:15', '05:30', '05:45'],
    ]);
    store.check();
  });

  it('takes the last digest in S3 for the head, whatever the clock says', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + DAY);
    await store.seal();
    const chain = store.chain().length;
    store.at(FIVE + 2 * HOUR);
    expect(await store.seal()).toMatchObject({ digests: 0 });
    expect(store.chain()).toHaveLength(chain);
  });
});

it('says until when any digest before was promised, also when retention became shorter', async () => {
  const store = sealing(FIVE);
  await store.sealTo(FIVE + 20 * MINUTE);
  const shorter = { ...RETENTION, recordDays: RETENTION.recordDays - 10 };
  for (const minutes of [35, 50, 65]) {
    store.at(FIVE + minutes * MINUTE);
    const request = { asOfMillis: FIVE + minutes * MINUTE, hasTime: () => true };
    await seal(request, { ...store.dependencies(), retention: shorter });
  }
  const chain = store.chain();
  const ends = chain.map(({ lock }) => lock?.retainUntil as string);
  expect(ends).not.toEqual(ends.toSorted());
  for (const [at, { previous }] of chain.entries()) {
    expect(previous?.retainUntil).toBe(ends.slice(0, at).sort().at(-1));
  }
});

describe('late objects', () => {
  it('are sealed by the sweep of the next day, six days after their hour', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 6 * DAY);
    await store.seal();
    const promoted = store.archive([envelopeOf(2)], 'traces');
    await store.sealTo(FIVE + 7 * DAY);
    const [digest] = store.sealing(promoted.key);
    expect(digest?.from).toBe('2026-03-11T00:00:00.000Z');
    expect(digest?.objects.find(({ key }) => key === promoted.key)?.late).toBe(true);
    expect(digest?.records).toBe(1);
    store.check();
  });

  it('are sealed at once when a sweep is asked for', async () => {
    const store = sealing(FIVE);
    store.document('findings/dt=2020-01-01/hour=00/old.json', {});
    await store.sealTo(FIVE + HOUR);
    store.document('findings/dt=2020-01-01/hour=01/older.json', {});
    store.at(FIVE + 2 * HOUR);
    await store.seal();
    store.at(FIVE + 2 * HOUR + 20 * MINUTE);
    expect(await store.seal({ sweep: true })).toMatchObject({ late: 2 });
    expect(store.unsealed()).toEqual([]);
  });

  it.each([1, 3, 10])('are all sealed after a clock that was %i days ahead', async (days) => {
    const store = sealing(FIVE, { intervalMinutes: 60 });
    store.archive([envelopeOf(1)]);
    store.at(FIVE + HOUR);
    await store.seal({ asOfMillis: FIVE + days * DAY + 2 * HOUR });
    for (let at = FIVE + 2 * HOUR; at < FIVE + (days + 3) * DAY; at += 6 * HOUR) {
      store.at(at);
      store.archive([envelopeOf(at / HOUR, at)]);
      store.document(`policies/${at}.json`, {});
      await store.seal();
    }
    expect(store.unsealed(FIVE + (days + 1) * DAY)).toEqual([]);
    store.check();
  });

  it('never fill a digest: the next ones go on', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + HOUR);
    const count = 2 * MAX_LATE + 1;
    for (let n = 0; n < count; n++) store.document(`findings/dt=2020-01-01/hour=01/${n}.json`, {});
    store.at(FIVE + DAY);
    await store.seal();
    const counts = store.chain().map(({ objects }) => objects.filter(({ late }) => late).length);
    expect(counts.filter((late) => late > 0)).toEqual([MAX_LATE, MAX_LATE, 1]);
    store.check();
  });

  it('leave no version out and none twice, whenever and wherever things land', async () => {
    const landing = fc.record({
      after: fc.integer({ min: 0, max: 3 * DAY }),
      filed: fc.integer({ min: -7 * DAY, max: 4 * MINUTE }),
      kind: fc.constantFrom('lineage', 'traces', 'quarantine', 'findings', 'reports', 'policies'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(landing, { maxLength: 30 }),
        fc.array(fc.integer({ min: 0, max: 3 * DAY }), { maxLength: 12 }),
        async (landings, runs) => {
          const store = sealing(FIVE, { intervalMinutes: 60 });
          store.document('keys/first.json', {});
          const steps = [
            ...landings.map((step, n) => ({ ...step, n })),
            ...runs.map((after) => ({ after, kind: 'run' as const, filed: 0, n: 0 })),
          ].sort((a, b) => a.after - b.after);
          for (const { after, kind, filed, n } of steps) {
            store.at(FIVE + after);
            const folder = new Date(FIVE + after + filed).toISOString();
            const dated = `dt=${folder.slice(0, 10)}/hour=${folder.slice(11, 13)}/${n}`;
            if (kind === 'run') await store.seal();
            else if (kind === 'policies') store.document(`policies/${n}.json`, {});
            else if (kind === 'reports')
              store.document(`reports/x/dt=${folder.slice(0, 10)}/${n}.json`, {});
            else if (kind === 'lineage' || kind === 'traces')
              store.archive([envelopeOf(n, FIVE + after + filed)], kind);
            else store.document(`${kind}/${dated}.json`, {});
          }
          store.at(FIVE + 5 * DAY);
          await store.seal();
          expect(store.unsealed(FIVE + 4 * DAY)).toEqual([]);
          store.check();
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a vault with what should not be there', () => {
  it('names a second version of a key, and seals both', async () => {
    const store = sealing(FIVE);
    const object = store.archive([envelopeOf(1)]);
    store.at(FIVE + MINUTE);
    store.vault.addVersion(object.key, gzipSync('x\n'));
    await store.sealTo(FIVE + HOUR);
    expect(store.findings('second_version')).toMatchObject([
      { subject: `vault/${object.key}`, detail: { versions: 2 } },
    ]);
    expect(store.chain()[0]?.objects.filter(({ key }) => key === object.key)).toHaveLength(2);
  });

  it('names one that turns up long after the first', async () => {
    const store = sealing(FIVE);
    const object = store.archive([envelopeOf(1)]);
    store.at(FIVE + 5 * DAY);
    await store.seal();
    store.vault.addVersion(object.key, Buffer.from('x'));
    store.vault.addVersion(store.archive([envelopeOf(1)]).key, Buffer.from(''), {
      deleteMarker: true,
    });
    store.at(FIVE + 6 * DAY);
    await store.seal();
    expect(store.findings('second_version')).toHaveLength(1);
    expect(store.findings('delete_marker_present')).toHaveLength(1);
    store.check();
  });

  it('names a delete marker and a second version among the digests, and keeps to the first', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + HOUR);
    const head = store.chain().at(-1) as Digest;
    store.vault.addVersion(head.location.key, Buffer.from('{}'));
    store.vault.addVersion(head.location.key, Buffer.from(''), { deleteMarker: true });
    await store.sealTo(FIVE + 2 * HOUR);
    expect(store.findings('second_version')).toMatchObject([
      { subject: `vault/${head.location.key}` },
    ]);
    expect(store.findings('delete_marker_present')).toHaveLength(1);
    store.check();
  });

  it.each([
    ['no gzip', Buffer.from('x')],
    ['nothing', Buffer.from('')],
    ['no envelopes', gzipSync('{"a":1}\n')],
    ['an envelope and something else', gzipSync(`${JSON.stringify(envelopeOf(1))}\n{}\n`)],
    ['a bomb', gzipSync(Buffer.alloc(130 * 1024 * 1024))],
  ])('seals by its bytes what is %s among evidence, and names it', async (_what, body) => {
    const store = sealing(FIVE);
    const { key } = store.archive([envelopeOf(1)]);
    const stranger = store.vault.addVersion(key.replace(/[^/]*$/, 'a.ndjson.gz'), body);
    await store.sealTo(FIVE + HOUR);
    expect(store.findings('evidence_unreadable')).toMatchObject([
      { subject: versionName(stranger) },
    ]);
    const sealed = store.chain()[0]?.objects.find((object) => object.key === stranger.key);
    expect(sealed).toMatchObject({ records: 0, bytes: body.length });
    expect(sealed).not.toHaveProperty('mode');
    store.check();
    const damages: Damage[] = [];
    const check = () => store.verified(FIVE + HOUR, damages);
    const { digests, proven, records } = await check();
    expect(damages).toEqual([]);
    expect([proven, records]).toEqual([digests, 1]);
    store.vault.overwrite(stranger, gzipSync('{"a":2}\n'));
    await check();
    expect(damages).toMatchObject([{ kind: 'modified_object', key: stranger.key }]);
  });
});

describe('a run that ends in the middle', () => {
  /** Calls of the vault that one digest makes: public key, leaves, document, signature. */
  it.each([0, 1, 2, 3])('after %i puts is taken up where it stopped', async (puts) => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 21 * MINUTE);
    store.vault.faults.refuseAfter('putBytes', puts);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    store.vault.faults.refuse('putBytes', 0);
    store.at(FIVE + 22 * MINUTE);
    await store.seal();
    expect(store.chain()).toHaveLength(1);
    store.check();
    await store.sealTo(FIVE + HOUR);
    expect(store.unsealed(FIVE + 30 * MINUTE)).toEqual([]);
    store.check();
  });

  it('before its leaves has them made again of the objects', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.archive([envelopeOf(2)], 'traces');
    store.document('policies/a.json', {});
    store.at(FIVE + 21 * MINUTE);
    store.vault.faults.refuseAfter('putBytes', 2);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    store.vault.faults.refuse('putBytes', 0);
    expect(store.vault.versions.some(({ key }) => key.endsWith('.leaves'))).toBe(false);
    store.at(FIVE + 22 * MINUTE);
    await store.seal();
    expect(store.vault.versions.some(({ key }) => key.endsWith('.leaves'))).toBe(true);
    expect(store.findings('digest_gone')).toEqual([]);
    store.check();
  });

  it('before its leaves goes on without them when the objects are gone', async () => {
    const store = sealing(FIVE);
    const { key, versionId } = store.archive([envelopeOf(1)]);
    store.at(FIVE + 21 * MINUTE);
    store.vault.faults.refuseAfter('putBytes', 2);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    store.vault.faults.refuse('putBytes', 0);
    store.vault.remove({ bucket: 'vault', key, versionId });
    store.at(FIVE + 36 * MINUTE);
    expect(await store.seal()).toMatchObject({ digests: 1, isCaughtUp: true });
    const damages = await store.damages(FIVE + HOUR);
    expect(damages.map(({ kind, key }) => [kind, key.split('.').at(-1)])).toEqual([
      ['missing_object', 'leaves'],
      ['missing_object', 'gz'],
    ]);
  });

  it('on the first interval of a day finds the head on the day before', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 19 * HOUR + MINUTE);
    store.archive([envelopeOf(2, FIVE + 19 * HOUR + MINUTE)]);
    store.at(FIVE + 19 * HOUR + 6 * MINUTE);
    await store.seal();
    store.vault.faults.refuseAfter('putBytes', 1);
    store.at(FIVE + 19 * HOUR + 21 * MINUTE);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    store.vault.faults.refuse('putBytes', 0);
    await store.sealTo(FIVE + 20 * HOUR);
    expect(store.chain()).toHaveLength(4 * 19 + 3);
    store.check();
  });
});

describe('two sealers at once', () => {
  it('write one chain between them', async () => {
    const store = sealing(FIVE);
    for (let n = 1; n < 9; n++) {
      store.at(FIVE + n * 10 * MINUTE);
      store.archive([envelopeOf(n)]);
    }
    store.at(FIVE + 3 * HOUR);
    // Each reads another time, so that no two documents are equal.
    await Promise.all([store.seal(), store.seal(), store.seal()]);
    await store.seal();
    expect(store.chain()).toHaveLength(11);
    expect(store.vault.versions.filter(({ key }) => isDigestKey(key))).toHaveLength(11);
    expect(store.findings('sealing_failed')).toEqual([]);
    store.check();
  });
});

describe('the signing key', () => {
  it('that is disabled stops the chain loudly, and the first digest after says so', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    const { fingerprint } = await store.keys.current();
    store.keys.disabled.add(fingerprint);
    for (const minutes of [36, 37, 60, 120]) {
      store.at(FIVE + minutes * MINUTE);
      await expect(store.seal()).rejects.toThrow(
        expect.objectContaining({ code: 'signing_refused' }),
      );
    }
    expect(store.findings('sealing_failed')).toMatchObject([
      { subject: 'seal/2026-03-04T05:15:00.000Z', detail: { code: 'signing_refused' } },
    ]);
    store.keys.disabled.clear();
    await store.sealTo(FIVE + 3 * HOUR);
    const delayed = store.chain().flatMap((digest) => digest.delayed ?? []);
    expect(delayed[0]).toEqual({ seconds: (125 - 35) * 60, cause: 'signing_refused' });
    expect(delayed.slice(1).map(({ cause }) => cause)).toEqual(
      Array.from({ length: delayed.length - 1 }, () => 'catching_up'),
    );
    store.check();
  });

  it('that does not answer for a moment is no finding, for an hour it is one', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 20 * MINUTE);
    const current = store.keys.current;
    store.keys.current = () => Promise.reject(new UnavailableError('signing_key'));
    store.at(FIVE + 36 * MINUTE);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    expect(store.findings('sealing_failed')).toEqual([]);
    store.at(FIVE + 90 * MINUTE);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    expect(store.findings('sealing_failed')).toHaveLength(1);
    store.keys.current = current;
  });

  it('is followed by the next generation, which the old one announces', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 20 * MINUTE);
    const old = await store.keys.current();
    const next = store.keys.rotate();
    await store.sealTo(FIVE + 50 * MINUTE);
    expect(
      store.chain().map(({ signer, nextSigner }) => [signer.fingerprint, nextSigner?.fingerprint]),
    ).toEqual([
      [old.fingerprint, undefined],
      [old.fingerprint, next.fingerprint],
      [next.fingerprint, undefined],
    ]);
    expect(await store.vault.find(publicKeyKey(next.fingerprint))).toBeDefined();
    store.check();
    // Once the new one signs, the old one may go.
    store.keys.disabled.add(old.fingerprint);
    await store.sealTo(FIVE + 2 * HOUR);
    store.check();
  });

  it('of no generation stops the chain rather than break it', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 20 * MINUTE);
    store.keys.rotate();
    store.keys.generations.shift();
    store.at(FIVE + HOUR);
    await expect(store.seal()).rejects.toThrow(
      expect.objectContaining({ code: 'signing_key_unknown' }),
    );
  });
});

describe('what stands in the place of a finding about a digest that is late', () => {
  const { id } = openFinding('sealing_failed', {
    ...{ plane: 'store', subject: 'seal/2026-03-04T05:15:00.000Z' },
    ...{ at: '2026-03-04T05:30:00.000Z', runKeys: [], detail: { code: 'x' } },
  });
  const folder = `findings/dt=2026-03-04/hour=05/${id}-`;
  type Store = ReturnType<typeof sealing>;
  const withCode = (store: Store, name: string, code: unknown) =>
    store.document(`${folder}${name}.json`, { detail: { code } });
  const unreadable = (store: Store, name: string) => {
    const { key } = withCode(store, name, 'x');
    store.unreadable(key, new UnreadableRecordError('object_under_foreign_key'));
  };
  const CASES: ReadonlyArray<readonly [string, string, (store: Store) => unknown]> = [
    ['that cannot be read', 'unknown', (store) => unreadable(store, 'z')],
    [
      'that is a delete marker',
      'not_run',
      (store) => store.vault.addVersion(`${folder}z.json`, Buffer.from(''), { deleteMarker: true }),
    ],
    ['that holds text', 'unknown', (store) => withCode(store, 'z', 'password=hunter2 '.repeat(9))],
    ['that holds a word without end', 'unknown', (store) => withCode(store, 'z', 'a'.repeat(999))],
    ['that holds an object', 'unknown', (store) => withCode(store, 'z', { a: 1 })],
    ['that holds nothing', 'unknown', (store) => store.document(`${folder}z.json`, null)],
    [
      'that holds no JSON',
      'unknown',
      (store) => store.vault.addVersion(`${folder}z.json`, Buffer.from('{')),
    ],
    [
      'beside ours',
      'signing_refused',
      (store) => {
        unreadable(store, 'a');
        withCode(store, 'b', 'no code');
        withCode(store, 'c', 'signing_refused');
      },
    ],
  ];

  it.each(CASES)('%s does not stop it: %s', async (_what, cause, put) => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    put(store);
    store.at(FIVE + 5 * HOUR);
    expect(await store.seal()).toMatchObject({ isCaughtUp: true });
    expect(store.chain().find(({ delayed }) => delayed)?.delayed?.cause).toBe(cause);
  });

  it('that we may not read stops it', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    store.unreadable(withCode(store, 'z', 'x').key, new AccessDeniedError('s3'));
    store.at(FIVE + 5 * HOUR);
    await expect(store.seal()).rejects.toThrow(AccessDeniedError);
  });
});

describe('the anchor', () => {
  it('gets each head, and again the one whose signature was not put', async () => {
    const store = sealing(FIVE);
    store.anchored();
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 21 * MINUTE);
    store.vault.faults.refuseAfter('putBytes', 3);
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    store.vault.faults.refuse('putBytes', 0);
    store.at(FIVE + 36 * MINUTE);
    await store.seal();
    expect(store.sent.map(({ number }) => number)).toEqual([0, 0, 1]);
    for (const digest of store.chain()) {
      expect(digest.anchor).toBe('topic');
      const sent = store.sent.find(({ number }) => number === digest.number);
      expect(sent?.sha256).toBe(createHash('sha256').update(digestBytes(digest)).digest('hex'));
    }
  });

  it('that takes nothing stops nothing, and is a finding', async () => {
    const store = sealing(FIVE);
    store.anchored(new UnavailableError('anchor'));
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 36 * MINUTE);
    expect(await store.seal()).toMatchObject({ digests: 2, unsent: 2 });
    expect(store.findings('anchor_failed')).toHaveLength(2);
    store.check();
  });
});

it('reads every object once, and lists no folder twice for intervals that closed together', async () => {
  const store = sealing(FIVE);
  for (let n = 1; n < 40; n++) {
    store.at(FIVE + n * MINUTE);
    store.archive([envelopeOf(n)]);
  }
  store.at(FIVE + 51 * MINUTE);
  const { opened, listed } = await store.counted(() => store.seal());
  expect(Math.max(...opened.values())).toBe(1);
  expect(
    [...listed].filter(([prefix, times]) => times > 1 && !prefix.startsWith('digests/')),
  ).toEqual([]);
});

it('puts the recount of the streams into the digest, and its findings into the vault first', async () => {
  const store = sealing(FIVE);
  store.archive([envelopeOf(1)]);
  const asked: Array<readonly [string, number | undefined]> = [];
  store.recountedBy(async ({ from, to }, previous) => {
    asked.push([from, previous?.number]);
    const count = { plane: 'lineage' as const, shardId: 's', from, to, countedAt: to };
    const missing = { ...count, status: 'missing' } as const;
    const about = { plane: 'lineage', subject: from, at: to, runKeys: [], detail: {} } as const;
    return { recounts: [missing], findings: [openFinding('accepted_not_stored', about)] };
  });
  await store.sealTo(FIVE + 40 * MINUTE);
  expect(asked).toEqual([
    ['2026-03-04T05:00:00.000Z', undefined],
    ['2026-03-04T05:15:00.000Z', 0],
  ]);
  expect(store.chain().map(({ recounts }) => recounts.map(({ status }) => status))).toEqual([
    ['missing'],
    ['missing'],
  ]);
  expect(store.findings('accepted_not_stored').map(({ subject }) => subject)).toEqual(
    asked.map(([from]) => from),
  );
});

describe('an object that cannot be read', () => {
  const failing = (store: ReturnType<typeof sealing>, key: string, error: Error) => {
    const dependencies = store.dependencies();
    const { open } = dependencies.streams;
    const streams: SealDependencies['streams'] = {
      open: async (version) => {
        if (version.key === key) throw error;
        return open(version);
      },
    };
    const request = { asOfMillis: FIVE + 21 * MINUTE, hasTime: () => true };
    return seal(request, { ...dependencies, streams });
  };

  it('for good is sealed by name and size, and a finding', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    const { key } = store.archive([envelopeOf(2)], 'traces');
    store.at(FIVE + 21 * MINUTE);
    const error = new UnreadableRecordError('object_unreadable');
    expect(await failing(store, key, error)).toMatchObject({ digests: 1, records: 1 });
    const bytes = store.vault.versions.find((version) => version.key === key)?.body.length;
    const [digest] = store.chain();
    const sealed = digest?.objects.find((object) => object.key === key);
    expect(sealed).toMatchObject({ bytes, records: 0, unreadable: true, sha256: '0'.repeat(64) });
    expect(checkDigest(digestBytes(digest as Digest))).toEqual(digest);
    expect(store.findings('evidence_unreadable')).toHaveLength(1);
  });

  it('is read again by every sweep, and sealed as late when it can be read', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    const { key } = store.archive([envelopeOf(2)], 'traces');
    const error = new UnreadableRecordError('object_under_foreign_key');
    store.unreadable(key, error);
    await store.sealTo(FIVE + 21 * HOUR);
    expect(store.sealing(key).map(({ number }) => number)).toEqual([0]);
    store.readable(key);
    await store.sealTo(FIVE + DAY + 21 * HOUR);
    const [first, again, ...others] = store.sealing(key);
    expect(others).toEqual([]);
    expect(again?.from).toBe('2026-03-06T00:00:00.000Z');
    expect(again?.objects.find((object) => object.key === key)).toMatchObject({
      ...{ late: true, again: true, records: 1 },
    });
    expect(again?.records).toBe(1);
    const { unread, records } = await store.verified(FIVE + 3 * DAY, []);
    expect([unread, records]).toEqual([1, 2]);
    expect(await store.damages(FIVE + DAY + 21 * HOUR)).toEqual([]);
    expect(first?.objects.find((object) => object.key === key)?.unreadable).toBe(true);
  });

  it('is looked for as far back as a sweep is asked to look', async () => {
    const store = sealing(FIVE);
    const { key } = store.archive([envelopeOf(1)]);
    store.unreadable(key, new UnreadableRecordError('object_under_foreign_key'));
    await store.sealTo(FIVE + 4 * DAY);
    store.readable(key);
    store.at(FIVE + 4 * DAY + 30 * MINUTE);
    await store.seal({ sweep: true });
    expect(store.sealing(key)).toHaveLength(1);
    store.at(FIVE + 4 * DAY + HOUR);
    await store.seal({ sweep: true, sweepFromMillis: FIVE });
    expect(store.sealing(key).at(-1)?.objects).toMatchObject([{ key, again: true, records: 1 }]);
  });

  it('because a right is missing stops the chain', async () => {
    const store = sealing(FIVE);
    const { key } = store.archive([envelopeOf(1)]);
    store.at(FIVE + 21 * MINUTE);
    await expect(failing(store, key, new AccessDeniedError('s3'))).rejects.toThrow(
      AccessDeniedError,
    );
    expect(store.chain()).toEqual([]);
  });
});

describe('a digest that is gone', () => {
  const PARTS = ['.json', '.sig', '.leaves'];
  const sealed = async () => {
    const store = sealing(FIVE);
    for (const minutes of [1, 16, 31]) {
      store.at(FIVE + minutes * MINUTE);
      store.archive([envelopeOf(minutes, FIVE + minutes * MINUTE)]);
    }
    await store.sealTo(FIVE + 50 * MINUTE);
    const [, middle, head] = store.chain().map(({ location }) => location.key) as string[];
    const remove = (document = '', endings: readonly string[]) => {
      for (const ending of endings) {
        const key = document.replace('.json', ending);
        const version = store.vault.versions.find((held) => held.key === key);
        store.vault.remove(version as StoredVersion);
      }
    };
    return { store, head: head as string, middle: middle as string, remove };
  };

  it.each([
    [['.json'], 'leaves sig'],
    [['.json', '.sig'], 'leaves'],
    [['.json', '.leaves'], 'sig'],
  ])('and was the head (%s) is not written anew without a word', async (endings, left) => {
    const { store, head, remove } = await sealed();
    remove(head, endings);
    await store.sealTo(FIVE + HOUR + 10 * MINUTE);
    expect(store.findings('digest_gone')).toMatchObject([
      { subject: `vault/${head}`, severity: 'critical', detail: { left } },
    ]);
    const again = store.chain().find(({ number }) => number === 2);
    expect(again?.location.key).toBe(head.replace('.json', '_1.json'));
    expect(again?.displacedBy?.map(({ key }) => key).sort()).toEqual(
      left.split(' ').map((part) => head.replace('.json', `.${part}`)),
    );
    store.check();
    const damages = await store.damages(FIVE + HOUR + 10 * MINUTE);
    expect(damages).toMatchObject([{ kind: 'missing_digest', key: head }]);
  });

  it('is named with all those behind it, and the chain goes on beside them', async () => {
    const { store, head, middle, remove } = await sealed();
    remove(middle, ['.json']);
    remove(head, ['.json', '.sig']);
    await store.sealTo(FIVE + 2 * HOUR);
    const subjects = store.findings('digest_gone').map(({ subject }) => subject);
    expect(subjects.sort()).toEqual([`vault/${middle}`, `vault/${head}`]);
    const displaced = store.chain().filter(({ displacedBy }) => displacedBy);
    expect(displaced.map(({ number }) => number)).toEqual([1, 2]);
    store.check();
  });

  it('under a foreign document that was put over it is still known to be gone', async () => {
    const { store, head, remove } = await sealed();
    store.vault.addVersion(head, Buffer.from('{}'));
    remove(head, ['.json']);
    await store.sealTo(FIVE + HOUR + 10 * MINUTE);
    expect(store.findings('foreign_digest')).toHaveLength(1);
    const again = store.chain().find(({ number }) => number === 2);
    expect(again?.displacedBy?.map(({ key }) => key.split('.').at(-1)).sort()).toEqual([
      ...['json', 'leaves', 'sig'],
    ]);
    store.check();
  });

  it('under a delete marker alone is known by the marker', async () => {
    const { store, head, remove } = await sealed();
    store.vault.addVersion(head, Buffer.from(''), { deleteMarker: true });
    remove(head, PARTS);
    await store.sealTo(FIVE + HOUR + 10 * MINUTE);
    expect(store.findings('delete_marker_present')).toHaveLength(1);
    const again = store.chain().find(({ number }) => number === 2);
    expect(again?.displacedBy).toMatchObject([{ key: head, deleteMarker: true }]);
    store.check();
  });

  it('before the head is named at once, even when it left nothing', async () => {
    const { store, head, middle, remove } = await sealed();
    remove(middle, PARTS);
    await store.seal();
    const { sealedAt } = store.chain().find(({ location }) => location.key === head) as Digest;
    expect(store.findings('digest_gone')).toMatchObject([
      { subject: `vault/${middle}`, at: sealedAt, detail: { left: '' } },
    ]);
    await store.seal();
    expect(store.findings('digest_gone')).toHaveLength(1);
  });

  it('long before the head is named by the sweep', async () => {
    const { store, middle, remove } = await sealed();
    await store.sealTo(FIVE + 3 * HOUR);
    remove(middle, PARTS);
    await store.sealTo(FIVE + 4 * HOUR);
    expect(store.findings('digest_gone')).toEqual([]);
    store.at(FIVE + DAY);
    await store.seal();
    expect(store.findings('digest_gone')).toMatchObject([{ subject: `vault/${middle}` }]);
  });

  it('is not one that another sealer is putting while the chain is listed', async () => {
    const { store, head, remove } = await sealed();
    const document = store.vault.versions.find(({ key }) => key === head) as StoredVersion;
    remove(head, ['.json']);
    const dependencies = store.dependencies();
    const { list } = dependencies.inspector;
    let isBack = false;
    const inspector: SealDependencies['inspector'] = {
      ...dependencies.inspector,
      async *list(bucket, prefix) {
        yield* list(bucket, prefix);
        if (isBack || !prefix.startsWith('digests/dt=')) return;
        isBack = true;
        store.vault.versions.push(document);
      },
    };
    const request = { asOfMillis: FIVE + HOUR + 10 * MINUTE, hasTime: () => true };
    await seal(request, { ...dependencies, inspector });
    expect(store.findings('digest_gone')).toEqual([]);
    expect(store.chain().flatMap(({ displacedBy }) => displacedBy ?? [])).toEqual([]);
    store.check();
  });

  it('at midnight does not take the sweep of the day with it', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + HOUR);
    store.document('findings/dt=2020-01-01/hour=01/older.json', {});
    store.vault.addVersion(digestKey('2026-03-05T00:00:00.000Z'), Buffer.from('{}'));
    store.at(FIVE + 2 * DAY);
    await store.seal();
    expect(store.unsealed(FIVE + DAY)).toEqual([]);
    const [digest] = store.sealing('findings/dt=2020-01-01/hour=01/older.json');
    expect(digest?.location.key).toBe(digestKey('2026-03-05T00:00:00.000Z', 'document', 1));
    store.check();
  });
});

describe('what somebody else puts among the digests', () => {
  const forged = (store: ReturnType<typeof sealing>, from: string, overrides = {}) => {
    const key = digestKey(from);
    const digest = {
      ...store.chain().at(-1),
      from,
      location: { bucket: 'vault', key },
      ...overrides,
    };
    store.vault.addVersion(key, digestBytes(digest as Digest), {
      metadata: { signature: Buffer.from('none').toString('base64') },
    });
    return key;
  };

  it('in the future does not become the head, garbage neither', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    const key = forged(store, '9999-01-01T00:00:00.000Z', { to: '9999-01-01T00:15:00.000Z' });
    store.vault.addVersion('digests/dt=9999-01-01/z.json', Buffer.from('no json'));
    store.vault.addVersion(digestKey('9998-01-01T00:00:00.000Z'), Buffer.from('no json'));
    store.at(FIVE + 51 * MINUTE);
    expect(await store.seal()).toMatchObject({ digests: 2 });
    expect(await store.seal()).toMatchObject({ digests: 0 });
    const subjects = store.findings('foreign_digest').map(({ subject }) => subject.split('?')[0]);
    expect(subjects).toHaveLength(3);
    expect(subjects.join()).toContain(key);
  });

  it('under a key it put into public-keys/ itself neither', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    const stranger = new InMemorySigningKeys().generations[0] as DigestSigner;
    store.vault.addVersion(publicKeyKey(stranger.fingerprint), Buffer.from(stranger.publicKey));
    const from = '2026-03-04T12:00:00.000Z';
    const location = { bucket: 'vault', key: digestKey(from) };
    const signer = { algorithm: 'ECDSA_SHA_256', fingerprint: stranger.fingerprint };
    const bytes = digestBytes({
      ...(store.chain().at(-1) as Digest),
      ...{ from, to: '2026-03-04T12:15:00.000Z', location, signer: signer as Digest['signer'] },
    });
    const signature = Buffer.from(await stranger.sign(bytes)).toString('base64');
    store.vault.addVersion(location.key, bytes, { metadata: { signature } });
    store.at(FIVE + 51 * MINUTE);
    expect(await store.seal()).toMatchObject({ digests: 2 });
    expect(store.findings('foreign_digest')).toHaveLength(1);
  });

  /** Signed by a stranger, whose key lies in `public-keys/`, as the one that follows the head of the chain. */
  const hijacking = async (store: ReturnType<typeof sealing>, overrides: Partial<Digest> = {}) => {
    const stranger = new InMemorySigningKeys().generations[0] as DigestSigner;
    store.vault.addVersion(publicKeyKey(stranger.fingerprint), Buffer.from(stranger.publicKey));
    const last = store.chain().at(-1) as Digest;
    const { body, metadata } = store.vault.versions.find(
      ({ key }) => key === last.location.key,
    ) as StoredVersion;
    const from = overrides.from ?? last.to;
    const key = digestKey(from);
    const bytes = digestBytes({
      ...last,
      ...{ number: last.number + 1, from, to: '2026-03-04T05:45:00.000Z' },
      location: { bucket: 'vault', key },
      previous: {
        key: last.location.key,
        sha256: createHash('sha256').update(body).digest('hex'),
        signature: metadata?.signature as string,
      },
      ...{ objects: [], records: 0, leaves: null },
      signer: { algorithm: 'ECDSA_SHA_256', fingerprint: stranger.fingerprint },
      nextSigner: last.signer,
      ...overrides,
    });
    const signature = Buffer.from(await stranger.sign(bytes)).toString('base64');
    store.vault.addVersion(key, bytes, { metadata: { signature } });
    store.vault.addVersion(besideDigest(key, 'signature'), Buffer.from(signature));
    return key;
  };
  const future = (n: number) =>
    new Date(Date.parse('2999-01-01T00:00:00.000Z') + n * 1_000).toISOString();

  it('as often as it likes does not end the search for the head', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    for (let n = 0; n < 120; n++) await hijacking(store, { from: future(n), to: future(n + 1) });
    store.at(FIVE + 51 * MINUTE);
    const { head, ...run } = await store.seal();
    expect(run).toMatchObject({ digests: 2, isCaughtUp: true });
    expect(head?.digest.location.key).toBe(digestKey('2026-03-04T05:30:00.000Z'));
    await store.seal();
    expect(store.findings('foreign_digest')).toHaveLength(120);
  });

  const garbage = (store: ReturnType<typeof sealing>, count: number) => {
    for (let n = 0; n < count; n++) {
      store.vault.addVersion(digestKey(future(n)), Buffer.from('{'));
      store.vault.addVersion(`${digestKey(future(n))}.txt`, Buffer.from(''));
      store.vault.addVersion(digestKey(future(n)), Buffer.from(''), { deleteMarker: true });
    }
  };

  it('costs a run a bounded number of findings, and none once they stand', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    garbage(store, 120);
    const calls = store.vault.faults.calls;
    const asked = async () => {
      calls.length = 0;
      const { found } = await store.seal();
      return { found, puts: calls.filter((call) => call === 'putDocument').length };
    };
    store.at(FIVE + 31 * MINUTE);
    expect(await asked()).toEqual({ found: 200, puts: 200 });
    expect(await asked()).toMatchObject({ found: 120 });
    expect(await asked()).toMatchObject({ found: 40 });
    expect(await asked()).toMatchObject({ found: 0 });
    store.at(FIVE + 2 * HOUR);
    expect(await asked()).toEqual({ found: 0, puts: 0 });
    expect(store.findings('foreign_digest')).toHaveLength(240);
    expect(store.findings('delete_marker_present')).toHaveLength(120);
  });

  it('that is more than a run can read ends it loudly, with findings', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    garbage(store, 60);
    store.at(FIVE + 51 * MINUTE);
    let left = 3;
    await expect(store.seal({ hasTime: () => left-- > 0 })).rejects.toThrow(
      expect.objectContaining({ code: 'head_not_found' }),
    );
    expect(store.findings('foreign_digest').length).toBeGreaterThan(0);
    expect(await store.seal()).toMatchObject({ digests: 2, isCaughtUp: true });
    store.check();
  });

  it('is read several at once', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    garbage(store, 60);
    const dependencies = store.dependencies();
    let [now, most] = [0, 0];
    const streams: SealDependencies['streams'] = {
      async open(version) {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now--;
        return dependencies.streams.open(version);
      },
    };
    await seal(
      { asOfMillis: FIVE + 30 * MINUTE, hasTime: () => true },
      { ...dependencies, streams },
    );
    expect(most).toBe(8);
  });

  it('before anything of ours stands there is not followed', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 20 * MINUTE);
    const own = store.vault.versions.filter(({ key }) => key.startsWith('digests/'));
    await hijacking(store);
    for (const version of own) store.vault.remove(version);
    store.at(FIVE + 2 * HOUR);
    await expect(store.seal()).rejects.toThrow(
      expect.objectContaining({ code: 'signing_key_unknown' }),
    );
    expect(store.chain()).toHaveLength(1);
    expect(store.findings('sealing_failed')).toHaveLength(1);
  });

  it('is neither followed nor sent to the anchor while our key is refused, in a vault ahead of our clock', async () => {
    const store = sealing(FIVE);
    store.anchored();
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    const sent = store.sent.length;
    const key = await hijacking(store, { from: future(0), to: future(900) });
    store.vault.remove(
      store.vault.versions.find(
        (held) => held.key === besideDigest(key, 'signature'),
      ) as StoredVersion,
    );
    const refused = new LineageError('signing_refused', 'the key does not sign');
    store.keys.byFingerprint = () => Promise.reject(refused);
    store.keys.current = () => Promise.reject(refused);
    store.at(FIVE + 2 * HOUR);
    await expect(store.seal()).rejects.toThrow(refused);
    expect(store.sent).toHaveLength(sent);
  });

  const claimed = ({ key, versionId, lastModified }: StoredVersion) => ({
    ...{ bucket: 'vault', key, versionId, lastModified, bytes: 1, records: 0 },
    sha256: 'ab'.repeat(32),
  });

  it('is not followed while KMS does not say whose it is', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    const ours = store.keys.generations.map(({ fingerprint }) => fingerprint);
    const { key } = store.archive([envelopeOf(2, FIVE + 30 * MINUTE)]);
    const victim = store.vault.versions.find((version) => version.key === key) as StoredVersion;
    await hijacking(store, { objects: [claimed(victim)] });
    store.at(FIVE + 51 * MINUTE);
    const { byFingerprint } = store.keys;
    store.keys.byFingerprint = () => Promise.reject(new UnavailableError('signing_key'));
    await expect(store.seal()).rejects.toThrow(UnavailableError);
    store.keys.byFingerprint = byFingerprint;
    await store.sealTo(FIVE + 2 * HOUR);
    const signers = store.sealing(key).map(({ signer }) => signer.fingerprint);
    expect(signers).toEqual(expect.arrayContaining(ours));
    expect(store.findings('foreign_digest')).toHaveLength(1);
  });

  it('into the chain itself, once it got there, counts for nothing in a sweep', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    const ours = store.keys.generations[0] as DigestSigner;
    const { key } = store.archive([envelopeOf(2, FIVE + 30 * MINUTE)]);
    const victim = store.vault.versions.find((version) => version.key === key) as StoredVersion;
    const foreign = await hijacking(store, { objects: [claimed(victim)] });
    // a digest of ours behind it, as a sealer wrote it that was deceived
    const { byFingerprint } = store.keys;
    const deceiving = store.chain().at(-1)?.signer.fingerprint as string;
    store.keys.byFingerprint = async (asked) => {
      const held = store.vault.versions.find((version) => version.key === publicKeyKey(deceiving));
      const publicKey = Buffer.from(held?.body as Uint8Array).toString();
      return asked === deceiving
        ? { ...ours, fingerprint: deceiving, publicKey }
        : byFingerprint.call(store.keys, asked);
    };
    store.at(FIVE + 66 * MINUTE);
    await store.seal();
    store.keys.byFingerprint = byFingerprint;
    expect(store.chain().at(-1)?.previous?.key).toBe(foreign);
    expect(store.sealing(key)).toHaveLength(1);
    store.at(FIVE + DAY);
    await store.seal();
    const [, late] = store.sealing(key);
    expect(late).toMatchObject({ signer: { fingerprint: ours.fingerprint } });
    expect(late?.objects.find((object) => object.key === key)?.late).toBe(true);
    expect(
      store
        .findings('foreign_digest')
        .map(({ subject }) => subject)
        .join(),
    ).toContain(foreign);
  });

  it('neither stops the sweep nor takes an object out of it', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + HOUR);
    store.document('findings/dt=2020-01-01/hour=01/older.json', {});
    const late = store.vault.versions.at(-1);
    forged(store, '2026-03-04T05:07:00.000Z', { objects: [late] });
    store.vault.addVersion('digests/dt=2026-03-04/a.json', Buffer.from('{'));
    store.at(FIVE + DAY);
    await store.seal();
    expect(store.sealing('findings/dt=2020-01-01/hour=01/older.json').at(-1)?.from).toBe(
      '2026-03-05T00:00:00.000Z',
    );
    expect(store.findings('foreign_digest')).toHaveLength(2);
  });

  it('in no folder of a day is named by the sweep, and once', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + HOUR);
    const keys = ['x', 'aa/x', 'aa/deeper/x', 'dt=tomorrow/x'].map(
      (name) => `digests/${name}.json`,
    );
    for (const key of keys) store.vault.addVersion(key, Buffer.from('{}'));
    for (const days of [1, 2]) {
      store.at(FIVE + days * DAY);
      await store.seal();
      const subjects = store.findings('foreign_digest').map(({ subject }) => subject);
      expect(subjects.map((subject) => subject.split('@')[0]).sort()).toEqual(
        keys.map((key) => `vault/${key}`).sort(),
      );
    }
  });

  it.each(['.json', '.sig', '.leaves'])(
    'where the next digest belongs (%s) is left alone, and the next stands beside it and says so',
    async (ending) => {
      const store = sealing(FIVE);
      store.archive([envelopeOf(1)]);
      await store.sealTo(FIVE + 30 * MINUTE);
      const key = digestKey('2026-03-04T05:15:00.000Z').replace('.json', ending);
      const { versionId, lastModified } = store.vault.addVersion(key, Buffer.from('no json'));
      store.vault.addVersion(key, Buffer.from('nor this'));
      await store.sealTo(FIVE + HOUR);
      const [, beside, next] = store.chain();
      expect(beside?.location.key).toBe(digestKey('2026-03-04T05:15:00.000Z', 'document', 1));
      expect(beside?.displacedBy).toMatchObject([{ key, versionId, lastModified }, { key }]);
      expect(next?.location.key).toBe(digestKey('2026-03-04T05:30:00.000Z'));
      expect(next).not.toHaveProperty('displacedBy');
      expect(store.findings('sealing_failed')).toEqual([]);
      const kind = ending === '.json' ? 'foreign_digest' : 'digest_gone';
      expect(store.findings(kind)).toHaveLength(1);
      expect(store.findings('second_version')).toHaveLength(1);
      store.check();
      const damages = await store.damages(FIVE + HOUR);
      const damage = ending === '.json' ? 'malformed_digest' : 'missing_digest';
      expect(damages.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining([damage, 'second_version']),
      );
      expect(damages.every((damage) => damage.key.startsWith(key.replace(ending, '')))).toBe(true);
    },
  );

  it('in its place between a look at the chain and the put does not stop it either', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 30 * MINUTE);
    store.recountedBy(async ({ from }) => {
      // again and again: at the place that the sealer is about to take
      const nth = store.vault.versions.filter(({ key }) => key.includes('T051500Z')).length;
      if (from.includes('05:15') && nth < 3) {
        store.vault.addVersion(digestKey(from, 'document', nth), Buffer.from('{}'));
      }
      return { recounts: [], findings: [] };
    });
    await store.sealTo(FIVE + HOUR);
    const digest = store.chain().find(({ from }) => from.includes('05:15'));
    expect(digest?.location.key).toContain('T051500Z_3.json');
    expect(digest?.displacedBy).toHaveLength(3);
    expect(store.findings('foreign_digest')).toHaveLength(3);
    store.check();
  });

  it('as what belongs beside a digest leaves the digest without it, and is named', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    store.at(FIVE + 21 * MINUTE);
    const key = digestKey('2026-03-04T05:00:00.000Z');
    store.recountedBy(async () => {
      for (const part of ['signature', 'leaves'] as const) {
        store.vault.addVersion(besideDigest(key, part), Buffer.from('x'));
      }
      return { recounts: [], findings: [] };
    });
    expect(await store.seal()).toMatchObject({ digests: 1, isCaughtUp: true });
    expect(store.findings('foreign_digest')).toHaveLength(2);
  });

  it('does not hide the chain when a generation was taken from the settings', async () => {
    const store = sealing(FIVE);
    store.archive([envelopeOf(1)]);
    await store.sealTo(FIVE + 20 * MINUTE);
    store.keys.rotate();
    await store.sealTo(FIVE + HOUR);
    store.keys.generations.pop();
    store.at(FIVE + 2 * HOUR);
    await expect(store.seal()).rejects.toThrow(
      expect.objectContaining({ code: 'signing_key_unknown' }),
    );
    expect(store.findings('foreign_digest')).toEqual([]);
  });
});
