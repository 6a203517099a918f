import { describe, expect, it } from 'vitest';
import type { ObjectVersion } from '../../../lambdas/domain/evidence/ports.ts';
import {
  digestKey,
  publicKeyKey,
  type SealedObject,
} from '../../../lambdas/domain/integrity/digest.ts';
import type { ProofReaders } from '../../../lambdas/domain/integrity/proof-digests.ts';
import { DigestSearch } from '../../../lambdas/domain/integrity/sealing-digests.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { newSigner, putSigned } from '../../support/signed-digest.ts';

const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2027-01-01T00:00:00.000Z',
  clamped: false,
} as const;
const HOUR_MILLIS = 3_600_000;
const FIRST = Date.parse('2026-03-04T00:00:00.000Z');
const at = (hour: number, minutes = 0) =>
  new Date(FIRST + hour * HOUR_MILLIS + minutes * 60_000).toISOString();
const version = (n: number): ObjectVersion => ({
  ...{ bucket: 'vault', key: `lineage/${n}.ndjson.gz`, versionId: 'v' },
});

const sealedVersion = (n: number): SealedObject => ({
  ...{ ...version(n), lastModified: at(n), bytes: 1, sha256: '', records: 1 },
});

/** Digests of so many hours, each of which lists the version of its hour; and what the search asks of S3. */
async function sealedHours(hours: number) {
  let now = FIRST + hours * HOUR_MILLIS;
  const tick = () => {
    now += 60_000;
  };
  const vault = new InMemoryVault('vault', () => now);
  for (let hour = 0; hour < hours; hour++) {
    const [location, from, to] = [
      { bucket: 'vault', key: digestKey(at(hour)) },
      at(hour),
      at(hour + 1),
    ];
    await putSigned(vault, {
      ...{ digest: 1, number: hour, location, from, to, sealedAt: to },
      objects: [sealedVersion(hour)],
    });
  }
  const asked: string[] = [];
  const [inspector, reader] = [inspectorOver(vault), readerOver(vault)];
  const faults = { read: 0 };
  const readers: ProofReaders = {
    inspector: {
      ...inspector,
      list: (bucket, prefix) => {
        asked.push(prefix);
        return inspector.list(bucket, prefix);
      },
    },
    reader: {
      read: async (digest) => {
        asked.push(digest.key);
        if (faults.read-- > 0) throw new Error('down');
        return reader.read(digest);
      },
    },
  };
  const search = new DigestSearch(readers, () => Date.parse(at(hours)));
  return { vault, search, asked, faults, tick };
}

describe('the search for a digest', () => {
  it('finds the one of the interval in which a version landed, with its signature', async () => {
    const { search } = await sealedHours(30);
    const found = await search.sealing(version(5), at(5, 59));
    expect(found.map(({ key }) => key)).toEqual([
      'digests/dt=2026-03-04/2026-03-04T050000Z.json',
      'digests/dt=2026-03-04/2026-03-04T050000Z.sig',
    ]);
  });

  it('finds one that lists it late, over midnight too, and nothing before it is sealed', async () => {
    const { search } = await sealedHours(30);
    expect(await search.sealing(version(24), at(22, 10))).toHaveLength(2);
    expect(await search.sealing(version(20), at(10))).toHaveLength(2);
    expect(await search.sealing(version(31), at(30, 5))).toEqual([]);
    expect(await search.sealing(version(99), at(3))).toEqual([]);
  });

  it('finds the leaves that the digest names, whatever else lies beside it', async () => {
    const vault = new InMemoryVault();
    const key = digestKey(at(0));
    const named = digestKey(at(0), 'leaves').replace('.leaves', '-0123456789abcdef.leaves');
    await putSigned(vault, {
      ...{ digest: 1, number: 0, from: at(0), to: at(1), sealedAt: at(1) },
      ...{ location: { bucket: 'vault', key }, leaves: { key: named, sha256: '' } },
      objects: [sealedVersion(0), sealedVersion(1)],
    });
    await vault.putDocument(digestKey(at(0), 'leaves'), 'left by a sealer that ended', LOCK);
    await vault.putDocument(named, 'leaves', LOCK);
    const readers = { inspector: inspectorOver(vault), reader: readerOver(vault) };
    const search = new DigestSearch(readers, () => Date.parse(at(2)));
    for (const landed of [at(0, 5), '2026-03-03T23:59:00.000Z']) {
      const found = await search.sealing(version(0), landed);
      expect(found.map((part) => part.key)).toEqual([
        ...[key, digestKey(at(0), 'signature'), named],
      ]);
    }
  });

  it('lists each day and reads each digest once, for versions in the order of landing', async () => {
    const { search, asked } = await sealedHours(100);
    for (let hour = 0; hour < 100; hour++) {
      for (const minute of [0, 20, 40]) {
        expect(await search.sealing(version(hour), at(hour, minute))).toHaveLength(2);
      }
    }
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('asks again after a failure', async () => {
    const { search, faults } = await sealedHours(2);
    faults.read = 1;
    await expect(search.sealing(version(0), at(0))).rejects.toThrow('down');
    expect(await search.sealing(version(0), at(0))).toHaveLength(2);
  });
});

describe('what somebody put beside a digest', () => {
  const place = (nth: number) => digestKey(at(5), 'document', nth);
  const planted = (nth: number, objects: unknown) => ({
    ...{ digest: 1 as const, number: 0, from: at(5), to: at(6), sealedAt: at(6) },
    ...{ location: { bucket: 'vault', key: place(nth) }, objects: objects as SealedObject[] },
  });

  it.each<[string, (vault: InMemoryVault) => unknown]>([
    ['garbage', (vault) => vault.addVersion(place(1), Buffer.from('{'))],
    [
      'ten of it',
      (vault) => {
        for (let n = 1; n <= 10; n++) vault.addVersion(place(n), Buffer.from('{'));
      },
    ],
    [
      'garbage that begins later',
      (vault) => {
        for (let n = 10; n < 40; n++) {
          vault.addVersion(digestKey(at(5, n)), Buffer.from('{'));
        }
      },
    ],
    [
      'an unsigned document that lists it',
      (vault) => {
        const signer = { algorithm: 'ECDSA_SHA_256', fingerprint: 'f' };
        const document = { ...planted(1, [sealedVersion(5)]), signer };
        vault.addVersion(place(1), Buffer.from(JSON.stringify(document)));
      },
    ],
    ...([[], [null], [1], [{}], [{ key: 5 }], [sealedVersion(5)]] as unknown[]).map(
      (objects): [string, (vault: InMemoryVault) => unknown] => [
        `a digest of its own over ${JSON.stringify(objects)}`,
        (vault) => putSigned(vault, planted(1, objects), newSigner()),
      ],
    ),
    [
      'one that it announced itself',
      async (vault) => {
        const [first, second] = [newSigner(), newSigner()];
        const nextSigner = { fingerprint: second.fingerprint };
        await putSigned(vault, { ...planted(1, []), nextSigner }, first);
        await putSigned(vault, planted(2, [sealedVersion(5)]), second);
      },
    ],
  ])('is passed over: %s', async (_, plant) => {
    const { vault, search, tick } = await sealedHours(8);
    tick();
    await plant(vault);
    const found = await search.sealing(version(5), at(5, 59));
    expect(found.map(({ key }) => key)).toEqual([place(0), digestKey(at(5), 'signature')]);
  });
});

it('takes nobody else to have sealed what no digest lists', async () => {
  const { vault, search, tick } = await sealedHours(8);
  tick();
  const key = digestKey(at(6), 'document', 1);
  await putSigned(
    vault,
    {
      ...{ digest: 1, number: 0, from: at(6), to: at(7), sealedAt: at(7) },
      ...{ location: { bucket: 'vault', key }, objects: [sealedVersion(99)] },
    },
    newSigner(),
  );
  expect(await search.sealing(version(99), at(5, 10))).toEqual([]);
});

describe('a key that follows the first', () => {
  it.each([
    ['counts when the digest before it announced it', true, 1],
    ['does not when nothing did', false, 0],
  ])('%s', async (_, isAnnounced, digests) => {
    const { vault, search, tick } = await sealedHours(8);
    const next = newSigner();
    tick();
    vault.addVersion(publicKeyKey(next.fingerprint), Buffer.from(next.publicKey));
    tick();
    const digest = (hour: number) => ({
      ...{ digest: 1 as const, number: hour, sealedAt: at(hour + 1) },
      ...{ from: at(hour), to: at(hour + 1), objects: [sealedVersion(hour)] },
      location: { bucket: 'vault', key: digestKey(at(hour)) },
    });
    const nextSigner = isAnnounced ? { nextSigner: { fingerprint: next.fingerprint } } : {};
    await putSigned(vault, { ...digest(8), ...nextSigner });
    tick();
    await putSigned(vault, digest(9), next);
    expect(await search.sealing(version(8), at(8, 10))).toHaveLength(2);
    const found = search.sealing(version(9), at(9, 10));
    if (digests > 0) expect(await found).toHaveLength(2);
    else await expect(found).rejects.toThrow('digest_unreadable');
  });
});

it.each(['0.json', `${'0'.repeat(64)}.pem`])(
  'takes public-keys/%s, which is no key, for none, though it landed before the first',
  async (name) => {
    const { vault, search } = await sealedHours(2);
    const planted = vault.addVersion(`public-keys/${name}`, Buffer.from('{}'));
    Object.assign(planted, { lastModified: at(0) });
    expect(await search.sealing(version(1), at(1, 10))).toHaveLength(2);
  },
);
