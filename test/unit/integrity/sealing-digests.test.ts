import { describe, expect, it } from 'vitest';
import type { ObjectVersion } from '../../../lambdas/domain/evidence/ports.ts';
import { digestKey } from '../../../lambdas/domain/integrity/digest.ts';
import type { ProofReaders } from '../../../lambdas/domain/integrity/proof-digests.ts';
import { DigestSearch } from '../../../lambdas/domain/integrity/sealing-digests.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';

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

/** Digests of so many hours, each of which lists the version of its hour; and what the search asks of S3. */
async function sealedHours(hours: number) {
  const vault = new InMemoryVault();
  for (let hour = 0; hour < hours; hour++) {
    const [location, from, to] = [
      { bucket: 'vault', key: digestKey(at(hour)) },
      at(hour),
      at(hour + 1),
    ];
    const signer = { algorithm: 'ECDSA_SHA_256', fingerprint: 'f' };
    const digest = {
      ...{ digest: 1, number: hour, location, from, to, sealedAt: to, signer },
      objects: [version(hour)],
    };
    await vault.putDocument(location.key, digest, LOCK);
    await vault.putDocument(digestKey(at(hour), 'signature'), 'sig', LOCK);
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
  return { search, asked, faults };
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
    const digest = {
      ...{ digest: 1, number: 0, signer: { algorithm: 'ECDSA_SHA_256', fingerprint: 'f' } },
      ...{ location: { bucket: 'vault', key }, from: at(0), to: at(1), sealedAt: at(1) },
      ...{ objects: [version(0), version(1)], leaves: { key: named, sha256: '' } },
    };
    await vault.putDocument(key, digest, LOCK);
    await vault.putDocument(digestKey(at(0), 'leaves'), 'left by a sealer that ended', LOCK);
    await vault.putDocument(named, 'leaves', LOCK);
    const readers = { inspector: inspectorOver(vault), reader: readerOver(vault) };
    const search = new DigestSearch(readers, () => Date.parse(at(2)));
    for (const landed of [at(0, 5), '2026-03-03T23:59:00.000Z']) {
      const found = await search.sealing(version(0), landed);
      expect(found.map((part) => part.key)).toEqual([key, named]);
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
